-- name: audit/t_closeness_hierarchical
-- purpose: measure of t-closeness, values as far apart as the height of their lowest common taxonomy node: sum height * min(surplus, deficit)
-- parameters: histogram, baseline, member (key of a leaf), $nodes, $heights, $children, $leaves (lists), $t_numerator, $t_denominator
WITH listed AS (
    SELECT unnest($nodes) AS node, unnest($heights)::HUGEINT AS height, unnest($children) AS child, unnest($leaves) AS member
),
below AS (SELECT node, height, child, member IS NULL AS missing, {{ member }}::VARCHAR AS leaf FROM listed),
total AS (
    SELECT (SELECT sum(count) FROM {{ baseline | qualified }})::HUGEINT AS whole, (SELECT max(height) FROM below) AS tallest
),
sizes AS (SELECT class, sum(count)::HUGEINT AS n FROM {{ histogram | qualified }} GROUP BY class),
extras AS (
    SELECT sizes.class, any_value(n) AS n, node, any_value(height) AS height, child,
           sum(n * coalesce(baseline.count, 0) - whole * coalesce(histogram.count, 0))::HUGEINT AS extra
    FROM sizes CROSS JOIN below CROSS JOIN total
    LEFT JOIN {{ baseline | qualified }} AS baseline
      ON baseline.value::VARCHAR = leaf OR (missing AND baseline.value IS NULL)
    LEFT JOIN {{ histogram | qualified }} AS histogram
      ON histogram.class = sizes.class AND (histogram.value::VARCHAR = leaf OR (missing AND histogram.value IS NULL))
    GROUP BY sizes.class, node, child
),
nodes AS (
    SELECT class, n, any_value(height) * least(coalesce(sum(extra) FILTER (WHERE extra > 0), 0), coalesce(-sum(extra) FILTER (WHERE extra < 0), 0)) AS apart
    FROM extras GROUP BY class, n, node
),
distances AS (SELECT class, n, sum(apart)::HUGEINT AS apart FROM nodes GROUP BY class, n)
SELECT class, apart / (tallest * n * whole)::DOUBLE AS reached,
       apart * $t_denominator::HUGEINT <= tallest * n * whole * $t_numerator::HUGEINT AS holds
FROM distances CROSS JOIN total
