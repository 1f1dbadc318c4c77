-- name: release/cells_changed
-- purpose: how many cells hold another number of rows now than when the search saw them; a row without a cell counts as one
-- parameters: members (rows with their cell), cells
SELECT count(*)::BIGINT
FROM (SELECT cell, count(*) AS row_count FROM {{ members | qualified }} GROUP BY cell) AS now
FULL JOIN {{ cells | qualified }} AS seen ON seen.cell = now.cell
WHERE now.row_count IS DISTINCT FROM seen.row_count
