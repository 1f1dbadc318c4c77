-- name: workload/leaf_coverage
-- purpose: how much of each region of an attribute the conditions of a workload cover, and how much there is to cover
-- parameters: regions (relation: code and value, or code, lower, upper, missing), grid (leaf table), kind, measure, shares, lower,
--             upper (as positions) or value, spans
--
-- Of an ordered column regions are intervals, or single values. Open ends are measured by the bounds of the grid. With spans
-- each interval reaches to the next one.
{% if kind == 'ordered' %}
WITH placed AS (
    SELECT code, {{ lower }} AS lower, {{ upper }} AS upper, missing FROM ({{ regions }})
),
ends AS (  -- an open end is taken to be as wide as its neighbour
    SELECT {{ outer_first }} AS outer_first, {{ outer_last }} AS outer_last, {{ anchor }} AS anchor
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT {{ lower }} AS bound FROM {{ grid | qualified }} UNION ALL SELECT {{ upper }} FROM {{ grid | qualified }})
        WHERE bound IS NOT NULL
    )
),
spanning AS (
    SELECT code, lower, missing, {% if spans %}coalesce(lead(lower) OVER (PARTITION BY missing ORDER BY code ASC), upper){% else %}upper{% endif %} AS upper
    FROM placed
)
SELECT code, {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT *, coalesce(lower, outer_first) AS first, coalesce(upper, outer_last) AS last FROM spanning CROSS JOIN ends)
ORDER BY code ASC, lower ASC
{% else %}
SELECT code, {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT code, {{ value }} AS value FROM ({{ regions }}))
GROUP BY code
ORDER BY code ASC
{% endif %}
