-- name: audit/classes
-- purpose: the equivalence classes of a release: rows that agree in all quasi-identifier columns (NULL is a value of its own)
-- parameters: classes (table to make), release, keys (grouping key per quasi-identifier), columns (their names), $marker
CREATE TEMP TABLE {{ classes | qualified }} AS
SELECT row_number() OVER () AS class, *
FROM (
    SELECT {% for key in keys %}{{ key }} AS key_{{ loop.index0 | integer }}, {% endfor %}
           count(*)::BIGINT AS size,
           coalesce({% for column in columns %}any_value({{ column | identifier }}::VARCHAR) = $marker{% if not loop.last %} AND {% endif %}{% endfor %}, false) AS suppressed
    FROM {{ release | qualified }}
    GROUP BY {% for key in keys %}{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %}
)
