-- name: block_statistics/sizes
-- purpose: rows of each candidate block, and the sum of its cells' squared rows
-- parameters: blocks (registered), cells, attributes (membership conditions)
SELECT blocks.block, sum(cells.row_count)::BIGINT, sum(cells.row_count::HUGEINT * cells.row_count)
FROM {{ blocks }} AS blocks JOIN {{ cells | qualified }} AS cells
  ON {% for member in attributes %}{{ member }}{% if not loop.last %} AND {% endif %}{% endfor %}

GROUP BY blocks.block
