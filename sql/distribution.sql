-- name: distribution
-- purpose: how a column's values are distributed over the cells
-- parameters: joint, value (its column in joint)
SELECT cell, {{ value }} AS value, sum(row_count)::BIGINT AS count FROM {{ joint | qualified }} GROUP BY 1, 2 ORDER BY 1 ASC, 2 ASC
