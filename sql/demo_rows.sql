-- name: demo_rows
-- purpose: the first rows of the demo's release, in its own order
-- parameters: none
SELECT * FROM census_release LIMIT 8
