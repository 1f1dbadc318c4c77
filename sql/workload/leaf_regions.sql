-- name: workload/leaf_regions
-- purpose: the leaf values of an ordered attribute as intervals, or its single values
-- parameters: leaves (leaf table or value map), lower, upper (its columns), missing (code, -1: none)
SELECT code, {{ lower | identifier }} AS lower, {{ upper | identifier }} AS upper, CASE WHEN code = {{ missing | integer }} THEN 'only' ELSE 'no' END AS missing
FROM {{ leaves | qualified }}
