-- name: cells
-- purpose: the finest cells: every combination of leaf codes that occurs, numbered in lexicographic order, with its rows
-- parameters: cells (to make), joint, attributes (positions)
CREATE TEMP TABLE {{ cells | qualified }} AS
SELECT cell{% for position in attributes %}, any_value(code_{{ position | integer }}) AS code_{{ position | integer }}{% endfor %}, sum(row_count)::BIGINT AS row_count
FROM {{ joint | qualified }} GROUP BY cell ORDER BY cell ASC
