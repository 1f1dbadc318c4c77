-- name: audit/t_closeness_ordered
-- purpose: measure of t-closeness, neighbouring values 1 / (m - 1) apart (NULL last): per class sum |N A_i - n G_i| / ((m - 1) n N)
-- parameters: histogram, baseline (value, count), member (key of a listed value), $order (the declared order; empty: the values' own), $t_numerator, $t_denominator
WITH listed AS (SELECT unnest($order::VARCHAR[]) AS member, generate_subscripts($order::VARCHAR[], 1) AS position),
declared AS (SELECT {{ member }}::VARCHAR AS leaf, position FROM listed),
ranked AS (
    SELECT baseline.value, coalesce(baseline.count, 0) AS count,
           row_number() OVER (ORDER BY position ASC NULLS LAST, baseline.value ASC NULLS LAST) AS place
    FROM {{ baseline | qualified }} AS baseline FULL JOIN declared ON baseline.value::VARCHAR = leaf
),
places AS (
    SELECT value, count, place, sum(count) OVER (ORDER BY place ASC ROWS UNBOUNDED PRECEDING)::HUGEINT AS table_below FROM ranked
),
total AS (SELECT sum(count)::HUGEINT AS whole, greatest(count(*) - 1, 1)::HUGEINT AS steps FROM places),
sizes AS (SELECT class, sum(count)::HUGEINT AS n FROM {{ histogram | qualified }} GROUP BY class),
prefixes AS (
    SELECT sizes.class, n, places.place, table_below,
           sum(coalesce(histogram.count, 0)) OVER (PARTITION BY sizes.class ORDER BY places.place ASC ROWS UNBOUNDED PRECEDING)::HUGEINT AS below
    FROM sizes CROSS JOIN places
    LEFT JOIN {{ histogram | qualified }} AS histogram
      ON histogram.class = sizes.class AND histogram.value IS NOT DISTINCT FROM places.value AND places.count > 0
),
distances AS (
    SELECT class, any_value(n) AS n, any_value(whole) AS whole, any_value(steps) AS steps,
           sum(abs(whole * below - n * table_below))::HUGEINT AS apart
    FROM prefixes CROSS JOIN total GROUP BY class
)
SELECT class, apart / (steps * n * whole)::DOUBLE AS reached,
       apart * $t_denominator::HUGEINT <= steps * n * whole * $t_numerator::HUGEINT AS holds
FROM distances
