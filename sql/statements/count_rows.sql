-- name: statements/count_rows
-- purpose: the number of rows of a table
-- parameters: table
SELECT count(*)::BIGINT FROM {{ table | qualified }}
