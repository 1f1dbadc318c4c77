-- name: session/transaction_id
-- purpose: the number of the current transaction: two statements get the same one only inside an open transaction
-- parameters: none
SELECT txid_current()
