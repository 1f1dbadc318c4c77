-- name: catalog/delete
-- purpose: remove one release from the catalog
-- parameters: catalog, $release_schema, $release
DELETE FROM {{ catalog | qualified }} WHERE lower(release_schema) = lower($release_schema) AND lower(release) = lower($release)
