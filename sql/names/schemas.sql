-- name: names/schemas
-- purpose: the schemas of attached databases
-- parameters: none
SELECT database_name, schema_name FROM duckdb_schemas() ORDER BY ALL ASC
