-- name: catalog/relations
-- purpose: what stands under a name in a schema, compared as DuckDB compares names, with its comment
-- parameters: $database, $schema, $name
SELECT 'table' AS kind, table_name AS name, comment FROM duckdb_tables()
WHERE database_name = $database AND lower(schema_name) = lower($schema) AND lower(table_name) = lower($name)
UNION ALL
SELECT 'view', view_name, comment FROM duckdb_views()
WHERE database_name = $database AND lower(schema_name) = lower($schema) AND lower(view_name) = lower($name)
