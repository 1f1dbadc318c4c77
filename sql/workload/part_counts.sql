-- name: workload/part_counts
-- purpose: the rows of each cell, divided by which queries of a workload their values satisfy where the values of a leaf differ
-- parameters: row_cells, cell_column, attributes: each with key (SQL), value_map and parts (registered: place, part)
--
-- The places of values are their numbers in the order of codes and values, as workload/leaf_coverage gives them.
SELECT source.{{ cell_column | identifier }} AS cell, {% for attribute in attributes %}parts_{{ loop.index0 | integer }}.part AS part_{{ loop.index0 | integer }}, {% endfor %}count(*)::BIGINT AS row_count
FROM {{ row_cells }} AS source
{% for attribute in attributes %}
JOIN (
    SELECT value, part
    FROM (SELECT value, row_number() OVER (ORDER BY code ASC, value ASC) - 1 AS place FROM {{ attribute.value_map | qualified }}) AS numbered
    JOIN {{ attribute.parts }} AS listed USING (place)
) AS parts_{{ loop.index0 | integer }} ON {{ attribute.key }} IS NOT DISTINCT FROM parts_{{ loop.index0 | integer }}.value
{% endfor %}
GROUP BY ALL
