-- name: audit/distances
-- purpose: the equal-distance t of every class as an exact fraction: sum |c N - n G| over 2 n N; NULL is a value
-- parameters: histogram, baseline (value, count: what the distributions are compared with)
WITH total AS (SELECT sum(count)::HUGEINT AS whole FROM {{ baseline | qualified }}),
sizes AS (SELECT class, sum(count)::HUGEINT AS size FROM {{ histogram | qualified }} GROUP BY class),
present AS (
    SELECT histogram.class, sum(abs(histogram.count * whole - size * coalesce(baseline.count, 0)))::HUGEINT AS apart,
           sum(coalesce(baseline.count, 0))::HUGEINT AS covered
    FROM {{ histogram | qualified }} AS histogram
    JOIN sizes ON sizes.class = histogram.class
    LEFT JOIN {{ baseline | qualified }} AS baseline ON baseline.value IS NOT DISTINCT FROM histogram.value
    CROSS JOIN total
    GROUP BY histogram.class
)
SELECT DISTINCT (apart + size * (whole - covered))::VARCHAR AS numerator, (2 * size * whole)::VARCHAR AS denominator
FROM present JOIN sizes ON sizes.class = present.class CROSS JOIN total
