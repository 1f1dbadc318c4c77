-- name: session/set_explain_output
-- purpose: choose which plans EXPLAIN tells on this connection
-- parameters: output (all, optimized_only or physical_only)
SET explain_output = {{ output | literal }}
