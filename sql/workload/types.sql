-- name: workload/types
-- purpose: the columns of a count query with their types
-- parameters: query
DESCRIBE {{ query }}
