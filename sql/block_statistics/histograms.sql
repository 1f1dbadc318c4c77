-- name: block_statistics/histograms
-- purpose: how a column's values are distributed in each candidate block; with persons each pair of person and value counts once
-- parameters: blocks (registered), joint, attributes (membership conditions), value (column of joint), persons
SELECT blocks.block AS block, cells.{{ value }} AS value,
       {% if persons %}count(DISTINCT cells.person)::BIGINT{% else %}sum(cells.row_count)::BIGINT{% endif %} AS count
FROM {{ blocks }} AS blocks JOIN {{ joint | qualified }} AS cells
  ON {% for member in attributes %}{{ member }}{% if not loop.last %} AND {% endif %}{% endfor %}

GROUP BY 1, 2
