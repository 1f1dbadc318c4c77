-- name: statements/publish_rows
-- purpose: the rows of one published table in their own order; ENUM columns as plain text, so that no absent value is handed out
-- parameters: table, columns (name, type to cast to or None, nested: as JSON text)
SELECT
{% for column in columns %}
    {% if column.nested %}to_json({% endif %}
{% if column.type %}CAST({{ column.name | identifier }} AS {{ column.type | type_name }}){% else %}{{ column.name | identifier }}{% endif %}
{% if column.nested %})::VARCHAR{% endif %}
 AS {{ column.name | identifier }}{% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ table | qualified }}
