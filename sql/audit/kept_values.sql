-- name: audit/kept_values
-- purpose: rows with a value of a kept column, those whose value fewer than $k rows share, and how many such values there are
-- parameters: release, value (the column's grouping key), $k
WITH shared AS (
    SELECT {{ value }} AS value, count(*) AS size FROM {{ release | qualified }} AS release GROUP BY 1
)
SELECT coalesce(sum(size), 0)::BIGINT AS known, coalesce(sum(size) FILTER (WHERE size < $k), 0)::BIGINT AS rare,
       count(*) FILTER (WHERE size < $k)::BIGINT AS rare_values
FROM shared
WHERE value IS NOT NULL
