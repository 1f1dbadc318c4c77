-- name: workload/leaf_coverage
-- purpose: how much of each leaf value of an attribute the conditions of a workload cover, and how much there is to cover
-- parameters: leaves (leaf table), kind, missing (code of the missing leaf, -1: none), measure, shares; lower, upper or value
{% if kind == 'ordered' %}
WITH placed AS (
    SELECT code, {{ lower }} AS lower, {{ upper }} AS upper, CASE WHEN code = {{ missing | integer }} THEN 'only' ELSE 'no' END AS missing
    FROM {{ leaves }}
),
ends AS (  -- an open end is taken to be as wide as its neighbour
    SELECT bounds[1] - (bounds[2] - bounds[1]) AS outer_first, bounds[-1] + (bounds[-1] - bounds[-2]) AS outer_last
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound) AS bounds
        FROM (SELECT lower AS bound FROM placed UNION ALL SELECT upper FROM placed)
        WHERE bound IS NOT NULL
    )
)
SELECT {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT *, coalesce(lower, outer_first) AS first, coalesce(upper, outer_last) AS last FROM placed CROSS JOIN ends)
ORDER BY code
{% else %}
SELECT {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT code, {{ value }} AS value FROM {{ leaves }})
GROUP BY code
ORDER BY code
{% endif %}
