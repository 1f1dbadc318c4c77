-- name: statements/column_comments
-- purpose: the columns of a table or view in order, with their comments
-- parameters: $database, $schema, $name
SELECT column_name, comment FROM duckdb_columns()
WHERE database_name = $database AND lower(schema_name) = lower($schema) AND lower(table_name) = lower($name)
ORDER BY column_index ASC
