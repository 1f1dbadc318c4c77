-- name: statements/publish_marker_occurs
-- purpose: whether any text of a table equals the marker that is to stand for NULL
-- parameters: rows (the query that reads it), columns (names), $marker
SELECT count(*) > 0 FROM ({{ rows }}) AS published_rows
WHERE $marker IN ({% for name in columns %}{{ name | identifier }}::VARCHAR{% if not loop.last %}, {% endif %}{% endfor %})
