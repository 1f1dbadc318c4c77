-- name: catalog/select
-- purpose: the releases of a database, oldest first, or one of them
-- parameters: catalog, $release_schema and $release (NULL: all); names are compared as DuckDB compares them
SELECT release_schema, release, blocks, problem, result, dictionary, versions, created::VARCHAR AS created
FROM {{ catalog | qualified }} AS releases
WHERE ($release_schema IS NULL OR lower(release_schema) = lower($release_schema)) AND ($release IS NULL OR lower(release) = lower($release))
ORDER BY releases.created ASC, release_schema ASC, release ASC
