-- name: estimate/cuts
-- purpose: where comparisons cut the line of an ordered column: the nearest value, and whether the comparison holds at it
-- parameters: cuts (number, constant: the query's own expression; nearest, position, holds: expressions made of it)
SELECT
{% for cut in cuts %}
    {{ cut.position }} AS position_{{ cut.number | integer }},
    {{ cut.holds }} AS holds_{{ cut.number | integer }},
    ({{ cut.constant }}
    ) IS NULL AS unknown_{{ cut.number | integer }},
{% endfor %}
FROM (
    SELECT
{% for cut in cuts %}
        {{ cut.nearest }} AS nearest_{{ cut.number | integer }},
{% endfor %}
)
