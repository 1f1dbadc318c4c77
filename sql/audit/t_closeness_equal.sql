-- name: audit/t_closeness_equal
-- purpose: measure of t-closeness, any two values 1 apart: per class sum |c N - n G| / (2 n N), compared in integers
-- parameters: histogram, baseline (value, count), $t_numerator, $t_denominator; gives class, reached, holds; less is better
WITH total AS (SELECT sum(count)::HUGEINT AS whole FROM {{ baseline | qualified }}),
sizes AS (SELECT class, sum(count)::HUGEINT AS n FROM {{ histogram | qualified }} GROUP BY class),
present AS (
    SELECT sizes.class, any_value(n) AS n, any_value(whole) AS whole,
           sum(abs(histogram.count * whole - n * coalesce(baseline.count, 0)) - n * coalesce(baseline.count, 0))::HUGEINT AS apart
    FROM {{ histogram | qualified }} AS histogram
    JOIN sizes ON sizes.class = histogram.class
    LEFT JOIN {{ baseline | qualified }} AS baseline ON baseline.value IS NOT DISTINCT FROM histogram.value
    CROSS JOIN total
    GROUP BY sizes.class
)
SELECT class, (apart + n * whole) / (2 * n * whole)::DOUBLE AS reached,
       (apart + n * whole) * $t_denominator::HUGEINT <= 2 * n * whole * $t_numerator::HUGEINT AS holds
FROM present
