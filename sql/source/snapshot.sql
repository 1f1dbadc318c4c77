-- name: source/snapshot
-- purpose: read a file or query once
-- parameters: table (to make), relation
CREATE TEMP TABLE {{ table | qualified }} AS SELECT * FROM {{ relation }} AS source
