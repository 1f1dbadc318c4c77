-- name: audit/diversity
-- purpose: distinct l of one sensitive column (NULL never counts as a value), and the homogeneous classes
-- parameters: histogram
SELECT min(known)::BIGINT AS smallest, count(*) FILTER (WHERE known <= 1)::BIGINT AS homogeneous
FROM (SELECT class, count(value) AS known FROM {{ histogram | qualified }} GROUP BY class)
