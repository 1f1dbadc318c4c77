-- name: session/objects
-- purpose: how many tables, views, types, functions, sequences and schemas a database holds
-- parameters: $database
SELECT ((SELECT count(*) FROM duckdb_tables() WHERE database_name = $database AND NOT internal)
      + (SELECT count(*) FROM duckdb_views() WHERE database_name = $database AND NOT internal)
      + (SELECT count(*) FROM duckdb_types() WHERE database_name = $database AND NOT internal)
      + (SELECT count(*) FROM duckdb_functions() WHERE database_name = $database AND NOT internal)
      + (SELECT count(*) FROM duckdb_sequences() WHERE database_name = $database)
      + (SELECT count(*) FROM duckdb_schemas() WHERE database_name = $database AND NOT internal AND schema_name <> 'main'))::BIGINT
