-- name: names/reserved_words
-- purpose: the words that must be quoted where they name a table or a column
-- parameters: none
SELECT keyword_name
FROM duckdb_keywords()
WHERE keyword_category <> 'unreserved'
