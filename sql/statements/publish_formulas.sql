-- name: statements/publish_formulas
-- purpose: for each column of a table, whether it has values that spreadsheets take for formulas (numbers are none)
-- parameters: rows (the query that reads it), columns (names)
SELECT
{% for name in columns %}
    count(*) FILTER (
        WHERE ord({{ name | identifier }}::VARCHAR) IN (ord('='), ord('+'), ord('-'), ord('@'), 9, 13)
            AND TRY_CAST({{ name | identifier }}::VARCHAR AS DOUBLE) IS NULL
    ) > 0{% if not loop.last %},{% endif %}

{% endfor %}
FROM ({{ rows }}) AS published_rows
