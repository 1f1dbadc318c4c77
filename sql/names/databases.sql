-- name: names/databases
-- purpose: attached databases, the oldest first, and whether they are read-only
-- parameters: none
SELECT database_name, readonly FROM duckdb_databases() WHERE NOT internal ORDER BY database_oid ASC
