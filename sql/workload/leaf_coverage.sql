-- name: workload/leaf_coverage
-- purpose: how much of each leaf value of an attribute the conditions of a workload cover, and how much there is to cover
-- parameters: leaves (code and value or bounds), kind, missing (code, -1: none), measure, shares, lower, upper or value,
--             edge_lower, edge_upper (the bounds that open ends are measured by), spans, beside
--
-- Of an ordered column also for other regions than its leaves: from each leaf to the next one (spans), with the missing value
-- (beside; the least or greatest value is then published as an interval with an open end up to its neighbour, as in
-- release/interval_regions), or single values (a value map instead of the leaf table).
{% if kind == 'ordered' %}
WITH {% if beside %}beside_missing AS (
    SELECT *, CASE WHEN NOT extreme THEN coalesce(point_lower, lower) WHEN code > 0 THEN upper_before ELSE lower END AS beside_lower,
           CASE WHEN NOT extreme THEN coalesce(point_upper, upper) WHEN code = 0 THEN coalesce(lower_after, upper) ELSE upper END AS beside_upper
    FROM (
        SELECT *, point_lower IS NOT NULL AND code IN (0, {{ missing | integer }} - 1) AS extreme,
               lag(upper) OVER (ORDER BY code ASC) AS upper_before, lead(lower) OVER (ORDER BY code ASC) AS lower_after
        FROM {{ leaves }}
    )
), {% endif %}placed AS (
    SELECT code, {{ lower }} AS lower, {{ upper }} AS upper, {{ edge_lower }} AS edge_lower, {{ edge_upper }} AS edge_upper,
           CASE WHEN code = {{ missing | integer }} THEN 'only' {% if beside %}ELSE 'possible'{% else %}ELSE 'no'{% endif %} END AS missing
    FROM {% if beside %}beside_missing{% else %}{{ leaves }}{% endif %}

),
ends AS (  -- an open end is taken to be as wide as its neighbour
    SELECT {{ outer_first }} AS outer_first, {{ outer_last }} AS outer_last
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT edge_lower AS bound FROM placed UNION ALL SELECT edge_upper FROM placed)
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
