-- name: drop_temporary_table
-- purpose: remove one helper table
-- parameters: table
DROP TABLE IF EXISTS {{ table | qualified }}
