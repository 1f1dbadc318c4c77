-- name: statements/replacements
-- purpose: whether names that are no tables are looked for among the caller's variables
-- parameters: none
SELECT current_setting('python_enable_replacements')::BOOLEAN
