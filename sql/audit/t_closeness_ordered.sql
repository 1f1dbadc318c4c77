-- name: audit/t_closeness_ordered
-- purpose: measure of t-closeness, neighbouring values 1 / (m - 1) apart (NULL last): per class sum |N A_i - n G_i| / ((m - 1) n N)
-- parameters: histogram, baseline (value, count), $t_numerator, $t_denominator; gives class, reached, holds; less is better
WITH places AS (
    SELECT value, count, row_number() OVER (ORDER BY value NULLS LAST) AS place,
           sum(count) OVER (ORDER BY value NULLS LAST ROWS UNBOUNDED PRECEDING)::HUGEINT AS table_below
    FROM {{ baseline | qualified }}
),
total AS (SELECT sum(count)::HUGEINT AS whole, greatest(count(*) - 1, 1)::HUGEINT AS steps FROM places),
sizes AS (SELECT class, sum(count)::HUGEINT AS n FROM {{ histogram | qualified }} GROUP BY class),
prefixes AS (
    SELECT sizes.class, n, places.place, table_below,
           sum(coalesce(histogram.count, 0)) OVER (PARTITION BY sizes.class ORDER BY places.place ROWS UNBOUNDED PRECEDING)::HUGEINT AS below
    FROM sizes CROSS JOIN places
    LEFT JOIN {{ histogram | qualified }} AS histogram
      ON histogram.class = sizes.class AND histogram.value IS NOT DISTINCT FROM places.value
),
distances AS (
    SELECT class, any_value(n) AS n, any_value(whole) AS whole, any_value(steps) AS steps,
           sum(abs(whole * below - n * table_below))::HUGEINT AS apart
    FROM prefixes CROSS JOIN total GROUP BY class
)
SELECT class, apart / (steps * n * whole) AS reached,
       apart * $t_denominator::HUGEINT <= steps * n * whole * $t_numerator::HUGEINT AS holds
FROM distances
