-- name: audit/row_count
-- purpose: how many rows a table has
-- parameters: table
SELECT count(*)::BIGINT FROM {{ table | qualified }}
