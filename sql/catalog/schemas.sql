-- name: catalog/schemas
-- purpose: the schemas of every attached database
-- parameters: none
SELECT database_name, schema_name FROM duckdb_schemas()
