-- name: catalog/columns
-- purpose: names and types of a table's columns, in order
-- parameters: $database, $schema, $name
SELECT column_name, data_type FROM duckdb_columns()
WHERE database_name = $database AND lower(schema_name) = lower($schema) AND lower(table_name) = lower($name)
ORDER BY column_index ASC
