-- name: estimate/macro
-- purpose: a table macro that estimates a conjunction of ranges and lists of values on a release, for any DuckDB client
-- parameters: macro, blocks, count, columns (number, kind, lower, upper, missing or list; parameters, share: expressions)
CREATE OR REPLACE MACRO {{ macro | qualified }}(
{% for name in parameters %}
    {{ name | identifier }} := NULL{% if not loop.last %},{% endif %}

{% endfor %}
) AS TABLE
WITH blocks AS (
    SELECT
{% for column in columns %}
{% if column.kind == 'ordered' %}
        {{ column.lower }} AS lower_{{ column.number | integer }}, {{ column.upper }} AS upper_{{ column.number | integer }}, {{ column.missing }} AS missing_{{ column.number | integer }},
{% else %}
        {{ column.list }} AS members_{{ column.number | integer }},
{% endif %}
{% endfor %}
        {{ count | identifier }} AS tuples
    FROM {{ blocks }}
){% for column in columns if column.kind == 'ordered' %},
ends_{{ column.number | integer }} AS (  -- an open end is taken to be as wide as its neighbour among the published bounds
    SELECT {{ column.outer_first }} AS first_{{ column.number | integer }}, {{ column.outer_last }} AS last_{{ column.number | integer }}
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT lower_{{ column.number | integer }} AS bound FROM blocks UNION ALL SELECT upper_{{ column.number | integer }} FROM blocks)
        WHERE bound IS NOT NULL
    )
){% endfor %}

SELECT coalesce(sum(CAST(tuples AS DOUBLE){% for column in columns %}
    * {{ column.share }}{% endfor %}

), 0) AS estimate
FROM blocks{% for column in columns if column.kind == 'ordered' %} CROSS JOIN ends_{{ column.number | integer }}{% endfor %}
