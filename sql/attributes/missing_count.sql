-- name: attributes/missing_count
-- purpose: the number of rows whose value is missing
-- parameters: table
SELECT sum(row_count)::BIGINT FROM {{ table | qualified }} WHERE value IS NULL
