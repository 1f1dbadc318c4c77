-- name: catalog/insert
-- purpose: enter one release
-- parameters: catalog, $release_schema, $release, $blocks, $problem, $result, $dictionary, $versions
INSERT INTO {{ catalog | qualified }} (release_schema, release, blocks, problem, result, dictionary, versions)
VALUES ($release_schema, $release, $blocks, $problem, $result, $dictionary, $versions)
