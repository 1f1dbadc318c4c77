-- name: statements/scan_all_frames
-- purpose: let `FROM df` find DataFrames of the caller although a frame of this package lies between
-- parameters: none
SET python_scan_all_frames = true
