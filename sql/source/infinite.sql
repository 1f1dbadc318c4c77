-- name: source/infinite
-- purpose: for each column of floating-point numbers, dates or timestamps the number of infinite values
-- parameters: relation, columns (names)
SELECT {% for column in columns %}count(*) FILTER (WHERE isinf(source.{{ column | identifier }}))::BIGINT{% if not loop.last %}, {% endif %}{% endfor %} FROM {{ relation }} AS source
