-- name: names/relations
-- purpose: every table and view that a name may mean, temporary ones and registered frames included
-- parameters: none
SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal
UNION ALL
SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal
ORDER BY ALL ASC
