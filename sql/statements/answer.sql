-- name: statements/answer
-- purpose: the rows that a statement of ours answers with, registered as `answer`
-- parameters: none
SELECT * FROM answer
