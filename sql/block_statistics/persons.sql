-- name: block_statistics/persons
-- purpose: distinct persons of each candidate block
-- parameters: blocks (registered), joint, attributes (membership conditions)
SELECT blocks.block, count(DISTINCT cells.person)::BIGINT
FROM {{ blocks }} AS blocks JOIN {{ joint | qualified }} AS cells
  ON {% for member in attributes %}{{ member }}{% if not loop.last %} AND {% endif %}{% endfor %}

GROUP BY blocks.block
