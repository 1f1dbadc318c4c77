-- name: session/rollback
-- purpose: end a transaction, undoing its work
-- parameters: none
ROLLBACK
