-- name: catalog/drop_table
-- purpose: drop one table of a release
-- parameters: table
DROP TABLE IF EXISTS {{ table | qualified }}
