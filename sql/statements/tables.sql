-- name: statements/tables
-- purpose: the tables and views of the open databases
-- parameters: none
SELECT database_name AS database, schema_name AS schema, table_name AS name, 'table' AS kind FROM duckdb_tables() WHERE NOT internal
UNION ALL
SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views() WHERE NOT internal
ORDER BY ALL ASC
