-- name: catalog/tables
-- purpose: the names of tables and views in a schema
-- parameters: $database, $schema
SELECT table_name FROM duckdb_tables() WHERE database_name = $database AND schema_name = $schema
UNION ALL
SELECT view_name FROM duckdb_views() WHERE database_name = $database AND schema_name = $schema AND NOT internal
