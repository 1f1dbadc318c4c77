-- name: source/query_columns
-- purpose: names and types of a query's columns, as the query names them: read as a table, a repeated name gets a number
-- parameters: query (in parentheses)
DESCRIBE {{ query }}
