{# -- name: row_cells
   -- purpose: every row of the source with the number of its cell, NULL for a row that no cell holds
   -- parameters: relation, cell_column, attributes (key SQL, value_map), cells #}
(SELECT source.*, cells.cell AS {{ cell_column | identifier }}
FROM {{ relation }} AS source
{% for attribute in attributes %}
LEFT JOIN {{ attribute.value_map | qualified }} AS map_{{ loop.index0 | integer }} ON {{ attribute.key }} IS NOT DISTINCT FROM map_{{ loop.index0 | integer }}.value
{% endfor %}
LEFT JOIN {{ cells | qualified }} AS cells ON {% for attribute in attributes %}cells.code_{{ loop.index0 | integer }} = map_{{ loop.index0 | integer }}.code{% if not loop.last %} AND {% endif %}{% endfor %}
)
