-- name: session/own_tables
-- purpose: the temporary tables of this session that are still there
-- parameters: $prefix (of the names that the session gives)
SELECT table_name FROM duckdb_tables() WHERE database_name = 'temp' AND schema_name = 'main' AND starts_with(table_name, $prefix)
