-- name: estimate/blocks_tables
-- purpose: the blocks tables in a schema, with their dictionaries
-- parameters: $database, $schema (NULL: the current ones)
SELECT database_name, schema_name, table_name, comment
FROM duckdb_tables()
WHERE database_name = coalesce($database, current_database())
  AND lower(schema_name) = lower(coalesce($schema, current_schema()))
  AND starts_with(comment, '{"format"')
ORDER BY table_name ASC
