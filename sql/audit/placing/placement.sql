-- name: audit/placing/placement
-- purpose: each combination of values with the number of published blocks that contain it and, where it is one, that block
-- parameters: placement (table to make), coded, narrowed (by all quasi-identifiers), positions (of all of them), places
CREATE TEMP TABLE {{ placement | qualified }} AS
WITH found AS (
    SELECT {% for position in positions %}code_{{ position | integer }}, {% endfor %}
           sum(bit_count(places))::BIGINT AS matches,
           any_value(chunk * {{ places | integer }} + bit_position('1'::BIT, places) - 1)::BIGINT AS block
    FROM {{ narrowed | qualified }} GROUP BY {% for position in positions %}{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT {% for position in positions %}coded.value_{{ position | integer }}, {% endfor %}
       coalesce(matches, 0) AS matches, CASE WHEN matches = 1 THEN block END AS block
FROM {{ coded | qualified }} AS coded
LEFT JOIN found ON {% for position in positions %}found.code_{{ position | integer }} = coded.code_{{ position | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}
