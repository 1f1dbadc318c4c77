-- name: session/begin
-- purpose: start the transaction that a release is
-- parameters: none
BEGIN TRANSACTION
