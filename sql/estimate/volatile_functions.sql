-- name: estimate/volatile_functions
-- purpose: functions whose value changes from call to call: no query with one can be estimated
-- parameters: none
SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE stability = 'VOLATILE' OR has_side_effects
