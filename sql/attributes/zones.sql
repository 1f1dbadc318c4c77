-- name: attributes/zones
-- purpose: the time zones that DuckDB knows
-- parameters: none
SELECT name FROM pg_timezone_names()
