-- name: release/load
-- purpose: keep what Python decided (blocks of cells, published regions) in a temporary table
-- parameters: table, rows (a registered Arrow table)
CREATE TEMP TABLE {{ table | qualified }} AS SELECT * FROM {{ rows }}
