-- name: statements/names
-- purpose: the names that a user can mean: tables, views and their columns
-- parameters: none
SELECT DISTINCT name FROM (
    SELECT table_name AS name FROM duckdb_tables() WHERE NOT internal
    UNION ALL
    SELECT view_name FROM duckdb_views() WHERE NOT internal
    UNION ALL
    SELECT column_name FROM duckdb_columns() WHERE NOT internal
) AS names
ORDER BY name ASC
