-- name: statements/apply_numbered_blocks
-- purpose: the blocks of a release with a number for each distinct published region of each quasi-identifier
-- parameters: table (to create), blocks, attributes (number: name of the number's column; columns: those that describe a region)
CREATE TEMPORARY TABLE {{ table | qualified }} AS
SELECT
{% for attribute in attributes %}
    dense_rank() OVER (ORDER BY {% for column in attribute.columns %}{{ column | identifier }} NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}) - 1 AS {{ attribute.number | identifier }},
{% endfor %}
    blocks.*
FROM {{ blocks | qualified }} AS blocks
