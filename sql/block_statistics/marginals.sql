-- name: block_statistics/marginals
-- purpose: rows of each candidate block in every leaf of every attribute: the sizes of all its candidate splits at once
-- parameters: blocks (registered), cells, attributes (membership conditions)
SELECT block, attribute, code, count FROM (
    SELECT blocks.block AS block,
           CASE {% for member in attributes %}WHEN grouping(cells.code_{{ loop.index0 | integer }}) = 0 THEN {{ loop.index0 | integer }} {% endfor %}END AS attribute,
           coalesce({% for member in attributes %}cells.code_{{ loop.index0 | integer }}{% if not loop.last %}, {% endif %}{% endfor %}) AS code,
           sum(cells.row_count)::BIGINT AS count
    FROM {{ blocks }} AS blocks JOIN {{ cells | qualified }} AS cells
      ON {% for member in attributes %}{{ member }}{% if not loop.last %} AND {% endif %}{% endfor %}

    GROUP BY GROUPING SETS ({% for member in attributes %}(blocks.block, cells.code_{{ loop.index0 | integer }}){% if not loop.last %}, {% endif %}{% endfor %})
)
