-- name: attributes/read_leaves
-- purpose: the leaves as text, in the order of their codes
-- parameters: leaves
SELECT label, lower::VARCHAR, upper::VARCHAR FROM {{ leaves | qualified }} ORDER BY code ASC
