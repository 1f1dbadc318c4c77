-- name: release/release
-- purpose: the release: each row under its block's labels, in an order made of the published values alone
-- parameters: release, members, assignment (cell, block), blocks (block, region_0, ...), attributes (regions, label and the
--             typed columns, each with the column of the regions table it shows), columns (name and payload), order (SQL per column)
CREATE TABLE {{ release | qualified }} AS
SELECT {% for attribute in attributes %}
       {% for name, shown in attribute.columns %}region_table_{{ attribute.position | integer }}.{{ shown | identifier }} AS {{ name | identifier }}{% if not (loop.last and attribute.last and not columns) %}, {% endif %}{% endfor %}
       {% endfor %}

       {% for column in columns %}members.{{ column.payload | identifier }} AS {{ column.name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ members | qualified }} AS members
JOIN {{ assignment | qualified }} AS assignment ON assignment.cell = members.cell
JOIN {{ blocks | qualified }} AS blocks ON blocks.block = assignment.block
{% for attribute in attributes %}
JOIN {{ attribute.regions | qualified }} AS region_table_{{ attribute.position | integer }}
  ON region_table_{{ attribute.position | integer }}.region = blocks.{{ attribute.region_column | identifier }}
{% endfor %}
ORDER BY {% for key in order %}{{ key }} ASC NULLS LAST{% if not loop.last %}, {% endif %}{% endfor %}
