-- name: attributes/plain_values
-- purpose: the distinct values in order, as they are
-- parameters: table
SELECT value FROM {{ table | qualified }} WHERE value IS NOT NULL ORDER BY ordinal ASC
