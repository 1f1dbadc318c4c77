-- name: session/set_spill_directory
-- purpose: let DuckDB spill to a directory of ours
-- parameters: $directory path
SET temp_directory = $directory
