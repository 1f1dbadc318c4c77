-- name: audit/grouped
-- purpose: the one pass over a release: rows that agree in all quasi-identifiers (NULL is a value of its own), with their sensitive values as lists
-- parameters: grouped (table to make), release, keys (grouping key per quasi-identifier), values (key per sensitive column), columns, marked, $marker
CREATE TEMP TABLE {{ grouped | qualified }} AS
SELECT row_number() OVER () AS class, *
FROM (
    SELECT {% for key in keys %}key_{{ loop.index0 | integer }}, {% endfor %}
           sum(count)::BIGINT AS size, bool_or(suppressed) AS suppressed, list(count) AS counts
           {%- for value in values %}, list(value_{{ loop.index0 | integer }}) AS values_{{ loop.index0 | integer }}{% endfor %}

    FROM (
        SELECT {% for key in keys %}{{ key }} AS key_{{ loop.index0 | integer }}, {% endfor %}
               {% for value in values %}{{ value }} AS value_{{ loop.index0 | integer }}, {% endfor %}
               count(*)::BIGINT AS count,
               {% if marked %}coalesce({% for column in columns %}any_value({{ column | identifier }}::VARCHAR) = $marker{% if not loop.last %} AND {% endif %}{% endfor %}, false){% else %}false{% endif %} AS suppressed
        FROM {{ release | qualified }}
        GROUP BY {% for part in keys + values %}{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

    )
    GROUP BY {% for key in keys %}{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

)
