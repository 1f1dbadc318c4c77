-- name: estimate/estimate
-- purpose: the estimates of a workload of count queries on a release, from its blocks alone, in one pass
-- parameters: blocks, count (name), columns (of the release that the queries look at), counts (one per counted column)
WITH blocks AS (
    SELECT
{% for column in columns %}
{% if column.kind == 'ordered' %}
        {{ column.lower }} AS lower_{{ column.number | integer }}, {{ column.upper }} AS upper_{{ column.number | integer }}, {{ column.missing }} AS missing_{{ column.number | integer }},
        dense_rank() OVER (ORDER BY {{ column.lower }}, {{ column.upper }}, {{ column.missing }}) AS region_{{ column.number | integer }},
{% elif column.kind == 'categorical' %}
        {{ column.list }} AS members_{{ column.number | integer }},
        dense_rank() OVER (ORDER BY {{ column.list }}) AS region_{{ column.number | integer }},
{% else %}
        {{ column.list }} AS members_{{ column.number | integer }}, row_number() OVER () AS region_{{ column.number | integer }},
{% endif %}
{% endfor %}
        {{ count | identifier }} AS tuples
    FROM {{ blocks }}
){% for column in columns %},
{% if column.kind == 'ordered' %}
{{ column.ends | identifier }} AS (  -- an open end is taken to be as wide as its neighbour among the published bounds
    SELECT bounds[1] - (bounds[2] - bounds[1]) AS outer_first, bounds[-1] + (bounds[-1] - bounds[-2]) AS outer_last
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound) AS bounds
        FROM (SELECT lower_{{ column.number | integer }} AS bound FROM blocks UNION ALL SELECT upper_{{ column.number | integer }} FROM blocks)
        WHERE bound IS NOT NULL
    )
),
{{ column.cover | identifier }} AS (
    SELECT
{% for name, expression in column.shares %}
        {{ expression }} AS {{ name }},
{% endfor %}
        region AS region_{{ column.number | integer }}
    FROM (
        SELECT DISTINCT region_{{ column.number | integer }} AS region, lower_{{ column.number | integer }} AS lower, upper_{{ column.number | integer }} AS upper,
            missing_{{ column.number | integer }} AS missing, coalesce(lower, outer_first) AS first, coalesce(upper, outer_last) AS last
        FROM blocks CROSS JOIN {{ column.ends | identifier }}
    )
){% elif column.kind == 'categorical' %}
{{ column.cover | identifier }} AS (
    SELECT
{% for name, expression in column.shares %}
        {{ expression }} AS {{ name }},
{% endfor %}
        region AS region_{{ column.number | integer }}
    FROM (
        SELECT region, {{ column.value }} AS value
        FROM (SELECT region, unnest(members) AS member
              FROM (SELECT DISTINCT region_{{ column.number | integer }} AS region, members_{{ column.number | integer }} AS members FROM blocks))
    )
    GROUP BY region
){% else %}
{{ column.cover | identifier }} AS (
    SELECT
{% for name, expression in column.shares %}
        {{ expression }} AS {{ name }},
{% endfor %}
        region AS region_{{ column.number | integer }}
    FROM (
        SELECT region, {{ column.value }} AS value, member."count" AS tuples
        FROM (SELECT region_{{ column.number | integer }} AS region, unnest(members_{{ column.number | integer }}) AS member FROM blocks)
    )
    GROUP BY region
){% endif %}
{% endfor %}

SELECT unnest([
{% for count in counts %}
    {'number': {{ count.number | integer }}, 'estimate': coalesce(sum({{ count.expected }}), 0), 'deviation': sqrt(greatest(0, coalesce(sum({{ count.variance }}), 0))),
     'lower': CAST(coalesce(sum({{ count.least }}), 0) AS BIGINT), 'upper': CAST(coalesce(sum({{ count.most }}), 0) AS BIGINT),
     'blocks': count_if({{ count.touched }})}{{ count.comma }}
{% endfor %}
], recursive := true)
FROM blocks
{% for column in columns %}
JOIN {{ column.cover | identifier }} USING (region_{{ column.number | integer }})
{% endfor %}
