-- name: workload/histograms
-- purpose: the rows of each cell that satisfy each query of a workload, in the form of the joint table (finest_cells.sql)
-- parameters: table (to make), cells, entries (registered: cell, query, row_count), attributes (positions), value (its column)
CREATE TEMP TABLE {{ table | qualified }} AS
SELECT {% for position in attributes %}cells.code_{{ position | integer }}, {% endfor %}entries.query AS {{ value | identifier }}, entries.row_count
FROM {{ entries }} AS entries JOIN {{ cells | qualified }} AS cells USING (cell)
