-- name: statements/publish_open_files
-- purpose: the attached databases that are files
-- parameters: none
SELECT database_name, path FROM duckdb_databases() WHERE path IS NOT NULL AND NOT internal ORDER BY database_oid ASC
