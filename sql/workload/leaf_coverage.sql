-- name: workload/leaf_coverage
-- purpose: how much of each leaf value of an attribute the conditions of a workload cover, and how much there is to cover
-- parameters: leaves (code and value or bounds), kind, missing (code, -1: none), measure, shares, lower, upper or value, spans, beside
--
-- Of an ordered column also for other regions than its leaves: from each leaf to the next one (spans), with the missing value
-- (beside), or single values (a value map instead of the leaf table).
{% if kind == 'ordered' %}
WITH placed AS (
    SELECT code, {{ lower }} AS lower, {{ upper }} AS upper,
           CASE WHEN code = {{ missing | integer }} THEN 'only' {% if beside %}ELSE 'possible'{% else %}ELSE 'no'{% endif %} END AS missing
    FROM {{ leaves }}
),
ends AS (  -- an open end is taken to be as wide as its neighbour
    SELECT bounds[1] - (bounds[2] - bounds[1]) AS outer_first, bounds[-1] + (bounds[-1] - bounds[-2]) AS outer_last
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT lower AS bound FROM placed UNION ALL SELECT upper FROM placed)
        WHERE bound IS NOT NULL
    )
),
regions AS (
    SELECT code, lower, missing, {% if spans %}coalesce(lead(lower) OVER (PARTITION BY missing ORDER BY code ASC), upper){% else %}upper{% endif %} AS upper
    FROM placed
)
SELECT code, {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT *, coalesce(lower, outer_first) AS first, coalesce(upper, outer_last) AS last FROM regions CROSS JOIN ends)
ORDER BY code ASC, lower ASC
{% else %}
SELECT code, {{ measure }} AS measure{% for name, expression in shares %}, CAST({{ expression }} AS DOUBLE) AS {{ name }}{% endfor %}

FROM (SELECT code, {{ value }} AS value FROM {{ leaves }})
GROUP BY code
ORDER BY code ASC
{% endif %}
