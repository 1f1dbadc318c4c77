-- name: session/objects
-- purpose: how many tables, views, types, functions, sequences and schemas the database in use holds
-- parameters: none
SELECT ((SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal)
      + (SELECT count(*) FROM duckdb_views() WHERE database_name = current_database() AND NOT internal)
      + (SELECT count(*) FROM duckdb_types() WHERE database_name = current_database() AND NOT internal)
      + (SELECT count(*) FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal)
      + (SELECT count(*) FROM duckdb_sequences() WHERE database_name = current_database())
      + (SELECT count(*) FROM duckdb_schemas() WHERE database_name = current_database() AND NOT internal AND schema_name <> 'main'))::BIGINT
