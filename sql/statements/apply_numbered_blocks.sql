-- name: statements/apply_numbered_blocks
-- purpose: the blocks of a release with a number for each distinct published region of each quasi-identifier
-- parameters: table (to create), blocks, attributes (number: name of the number's column; columns: those that describe a region;
--             values: the one of them that lists values, compared as bytes, whatever collation is set)
CREATE TEMPORARY TABLE {{ table | qualified }} AS
SELECT
{% for attribute in attributes %}
    dense_rank() OVER (ORDER BY {% for column in attribute.columns %}{% if column == attribute.values %}list_transform({{ column | identifier }}, lambda each: encode(each::VARCHAR)){% else %}{{ column | identifier }}{% endif %} ASC NULLS FIRST{% if not loop.last %}, {% endif %}{% endfor %}) - 1 AS {{ attribute.number | identifier }},
{% endfor %}
    blocks.*
FROM {{ blocks | qualified }} AS blocks
