-- name: session/reset_spill_directory
-- purpose: forget the directory of ours again
-- parameters: none
SET temp_directory = ''
