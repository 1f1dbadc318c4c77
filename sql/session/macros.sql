-- name: session/macros
-- purpose: functions by name: the user's macros where statements look for functions, or (internal) DuckDB's own
-- parameters: $internal
SELECT DISTINCT database_name, schema_name, function_name FROM system.main.duckdb_functions()
WHERE internal = $internal AND (internal OR schema_name IN ('main', system.main.current_schema()))
ORDER BY ALL ASC
