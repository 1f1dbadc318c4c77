-- name: statements/apply_boundaries
-- purpose: the finite bounds of all published intervals of one quasi-identifier, ascending, as text
-- parameters: blocks, lower, upper (columns)
SELECT bound::VARCHAR FROM (
    SELECT {{ lower | identifier }} AS bound FROM {{ blocks | qualified }}
    UNION
    SELECT {{ upper | identifier }} FROM {{ blocks | qualified }}
) AS bounds
WHERE bound IS NOT NULL
ORDER BY bound
