-- name: statements/apply_boundaries
-- purpose: where the published intervals of one quasi-identifier begin and end, ascending, as text; single values twice
-- parameters: blocks, lower, upper (columns)
SELECT bound::VARCHAR FROM (
    SELECT {{ lower | identifier }} AS bound, false AS again FROM {{ blocks | qualified }}
    UNION
    SELECT {{ upper | identifier }}, {{ lower | identifier }} IS NOT DISTINCT FROM {{ upper | identifier }} FROM {{ blocks | qualified }}
) AS bounds
WHERE bound IS NOT NULL
ORDER BY bound ASC, again ASC
