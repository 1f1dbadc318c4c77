-- name: source/csv_names
-- purpose: the first row of a CSV file, which holds the names of its columns as the file spells them
-- parameters: path (literal)
SELECT * FROM read_csv({{ path }}, header = false, all_varchar = true, sample_size = -1) LIMIT 1
