-- name: release/blocks
-- purpose: the blocks of the release: labels, typed bounds or value lists, counts and sensitive distributions
-- parameters: release_blocks, members, assignment, blocks, attributes (as in release/release), count (name), sensitive (name of
--             the distribution column, key: the grouping key that tells values apart, known: the value, NaN as NULL, spellings:
--             sort keys that choose among values that are one to DuckDB, so that the order of the source does not)
CREATE TABLE {{ release_blocks | qualified }} AS
WITH counted AS (
    SELECT assignment.block AS block, count(*)::BIGINT AS row_count
    FROM {{ members | qualified }} AS members JOIN {{ assignment | qualified }} AS assignment ON assignment.cell = members.cell
    GROUP BY assignment.block
){% for column in sensitive %},
counted_{{ loop.index0 | integer }} AS (
    SELECT assignment.block AS block, {{ column.key }} AS sort_key, any_value({{ column.known }}{% for key in column.spellings %}{% if loop.first %} ORDER BY {% else %}, {% endif %}{{ key }} ASC NULLS LAST{% endfor %}) AS value, count(*)::BIGINT AS value_count
    FROM {{ members | qualified }} AS members JOIN {{ assignment | qualified }} AS assignment ON assignment.cell = members.cell
    GROUP BY 1, 2
),
distribution_{{ loop.index0 | integer }} AS (
    SELECT block, list(struct_pack("value" := value, "count" := value_count) ORDER BY sort_key ASC NULLS LAST) AS distribution
    FROM counted_{{ loop.index0 | integer }} GROUP BY block
){% endfor %}

SELECT {% for attribute in attributes %}
       {% for name, shown in attribute.columns %}region_table_{{ attribute.position | integer }}.{{ shown | identifier }} AS {{ name | identifier }}, {% endfor %}
       {% endfor %}

       counted.row_count AS {{ count | identifier }}{% for column in sensitive %},
       distribution_{{ loop.index0 | integer }}.distribution AS {{ column.name | identifier }}{% endfor %}

FROM {{ blocks | qualified }} AS blocks
JOIN counted ON counted.block = blocks.block
{% for column in sensitive %}
JOIN distribution_{{ loop.index0 | integer }} ON distribution_{{ loop.index0 | integer }}.block = blocks.block
{% endfor %}
{% for attribute in attributes %}
JOIN {{ attribute.regions | qualified }} AS region_table_{{ attribute.position | integer }}
  ON region_table_{{ attribute.position | integer }}.region = blocks.{{ attribute.region_column | identifier }}
{% endfor %}
ORDER BY blocks.block ASC
