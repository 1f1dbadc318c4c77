-- name: catalog/create_schema
-- purpose: the schema that holds the catalog of releases
-- parameters: schema (database.gensearch)
CREATE SCHEMA IF NOT EXISTS {{ schema | qualified }}
