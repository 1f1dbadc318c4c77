-- name: source/parquet_names
-- purpose: the nodes of a Parquet file's schema as it names them, depth first, each with the number of its children
-- parameters: path (literal)
SELECT name, num_children FROM parquet_schema({{ path }})
