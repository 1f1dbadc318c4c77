-- name: session/spill_directory
-- purpose: where DuckDB may spill to; empty where it may not
-- parameters: none
SELECT current_setting('temp_directory')
