-- name: audit/epsilon_privacy
-- purpose: measure of epsilon-privacy, class II: per class the smallest epsilon that R1 and R2 allow; less is better
-- parameters: histogram, $b, $epsilon_numerator, $epsilon_denominator, $weight_numerator, $weight_denominator (sigma + b)
WITH {% include 'audit/worst_case.sql' %},
known AS (
    SELECT class, n - $b::HUGEINT AS known, n - $b::HUGEINT - largest AS others,
           $epsilon_numerator::HUGEINT AS p, $epsilon_denominator::HUGEINT AS q,
           $weight_numerator::HUGEINT AS u, $weight_denominator::HUGEINT AS v
    FROM worst_case
),
rests AS (SELECT *, p * (v * (known - 1) + u) - q * v * known AS rest FROM known)
SELECT class,
       CASE WHEN known > 0 AND others > 0
            THEN greatest(1 + (u / v) / known, ((u / v) * known / others + known) / (known - 1 + u / v))
            ELSE 'infinity'::DOUBLE END AS reached,
       known * (p - q) * v >= u * q AND rest > 0 AND others * rest >= u * q * known AS holds
FROM rests
