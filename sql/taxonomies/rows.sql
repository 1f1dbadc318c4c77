-- name: taxonomies/rows
-- purpose: the rows of a taxonomy table as text
-- parameters: relation, columns (names)
SELECT {% for column in columns %}decode(encode({{ column | identifier }}::VARCHAR)){% if not loop.last %}, {% endif %}{% endfor %} FROM {{ relation }} AS source ORDER BY ALL ASC
