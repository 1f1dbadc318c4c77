-- name: workload/leaf_values
-- purpose: the values that the leaves of a categorical attribute stand for, as text
-- parameters: leaves (leaf table)
SELECT code, CAST(lower AS VARCHAR) AS text
FROM {{ leaves | qualified }}
WHERE lower IS NOT NULL
ORDER BY code ASC
