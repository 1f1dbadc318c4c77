-- name: session/commit
-- purpose: end a transaction, keeping its work
-- parameters: none
COMMIT
