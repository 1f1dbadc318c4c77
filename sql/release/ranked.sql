-- name: release/ranked
-- purpose: what each block prints, with its rows, in the canonical order: that of the published labels
-- parameters: ranked (table to make), members, assignment (cell, block), blocks (block, region_0, ...), attributes (regions, and the
--             columns of the regions table that the release shows), order (SQL per label)
CREATE TEMP TABLE {{ ranked | qualified }} AS
SELECT row_number() OVER (ORDER BY {% for key in order %}{{ key }} ASC NULLS LAST{% if not loop.last %}, {% endif %}{% endfor %}) AS place, counted.block AS block, counted.row_count AS row_count{% for attribute in attributes %}
{% for _, shown in attribute.columns %},
       region_table_{{ attribute.position | integer }}.{{ shown | identifier }} AS {{ [shown, attribute.position] | join('_') | identifier }}{% endfor %}{% endfor %}

FROM {{ blocks | qualified }} AS blocks
JOIN (
    SELECT assignment.block AS block, count(*)::BIGINT AS row_count
    FROM {{ members | qualified }} AS members JOIN {{ assignment | qualified }} AS assignment ON assignment.cell = members.cell
    GROUP BY assignment.block
) AS counted ON counted.block = blocks.block
{% for attribute in attributes %}
JOIN {{ attribute.regions | qualified }} AS region_table_{{ attribute.position | integer }}
  ON region_table_{{ attribute.position | integer }}.region = blocks.{{ attribute.region_column | identifier }}
{% endfor %}
ORDER BY place ASC
