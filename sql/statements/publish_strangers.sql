-- name: statements/publish_strangers
-- purpose: what a database holds besides releases and their blocks; blocks are known by the dictionary in their comment
-- parameters: $database
WITH relations AS (
    SELECT schema_name, table_name AS name, comment FROM duckdb_tables() WHERE database_name = $database AND NOT internal
    UNION ALL
    SELECT schema_name, view_name, comment FROM duckdb_views() WHERE database_name = $database AND NOT internal
), blocks AS (
    SELECT name FROM relations WHERE comment LIKE '%"quasi_identifiers"%'
)
SELECT schema_name || '.' || name FROM relations
WHERE name NOT IN (FROM blocks) AND name || '_blocks' NOT IN (FROM blocks)
ORDER BY ALL ASC
