-- name: statements/apply_boundaries
-- purpose: the finite bounds of all published intervals of one quasi-identifier but for the declared domain's, ascending, as text
-- parameters: blocks, lower, upper (columns), type (the column's), $lowest and $highest (the declared domain as text, or NULL)
SELECT bound::VARCHAR FROM (
    SELECT {{ lower | identifier }} AS bound FROM {{ blocks | qualified }}
    UNION
    SELECT {{ upper | identifier }} FROM {{ blocks | qualified }}
) AS bounds
WHERE bound IS NOT NULL
  AND bound IS DISTINCT FROM CAST($lowest AS {{ type | type_name }})
  AND bound IS DISTINCT FROM CAST($highest AS {{ type | type_name }})
ORDER BY bound ASC
