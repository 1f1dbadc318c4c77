-- name: audit/recursive_l_diversity
-- purpose: measure of recursive (c,l)-diversity: per class r_1 / (r_l + ... + r_m), missing values counted with r_1; less is better
-- parameters: histogram, $l, $c_numerator, $c_denominator; gives class, reached, holds
WITH sorted AS (
    SELECT class, sum(count)::HUGEINT AS n, list(count ORDER BY count DESC) FILTER (WHERE value IS NOT NULL) AS counts,
           coalesce(max(count) FILTER (WHERE value IS NULL), 0)::HUGEINT AS missing
    FROM {{ histogram | qualified }} GROUP BY class
),
parts AS (
    SELECT class, coalesce(counts[1], 0)::HUGEINT + missing AS first,
           n - CASE WHEN $l > 1 THEN missing + coalesce(list_sum(counts[1:$l - 1]), 0)::HUGEINT ELSE 0 END AS tail
    FROM sorted
)
SELECT class, CASE WHEN tail > 0 THEN first / tail::DOUBLE ELSE 'infinity'::DOUBLE END AS reached,
       first * $c_denominator::HUGEINT < $c_numerator::HUGEINT * tail AS holds
FROM parts
