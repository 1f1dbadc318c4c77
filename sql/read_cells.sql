-- name: read_cells
-- purpose: the cells in order
-- parameters: cells
SELECT * FROM {{ cells | qualified }} ORDER BY cell ASC
