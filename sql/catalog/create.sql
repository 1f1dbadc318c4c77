-- name: catalog/create
-- purpose: the owner's catalog of releases, in the database that holds them
-- parameters: catalog (database.gensearch.releases)
CREATE TABLE IF NOT EXISTS {{ catalog | qualified }} (
    release_schema VARCHAR NOT NULL, release VARCHAR NOT NULL, blocks VARCHAR NOT NULL,
    problem VARCHAR NOT NULL, result VARCHAR NOT NULL, dictionary VARCHAR NOT NULL, versions VARCHAR NOT NULL,
    created TIMESTAMPTZ NOT NULL DEFAULT current_timestamp
)
