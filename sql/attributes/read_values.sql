-- name: attributes/read_values
-- purpose: the distinct values in order, as positions on a line or as text, with their rows
-- parameters: table, shown (SQL)
SELECT {{ shown }}, row_count FROM {{ table | qualified }} WHERE value IS NOT NULL ORDER BY ordinal ASC
