-- name: session/explain_output
-- purpose: which plans EXPLAIN tells, and whether settings can no longer be changed
-- parameters: none
SELECT lower(current_setting('explain_output')), current_setting('lock_configuration')::BOOLEAN
