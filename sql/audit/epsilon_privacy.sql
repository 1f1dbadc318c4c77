-- name: audit/epsilon_privacy
-- purpose: measure of epsilon-privacy, class II: per class the smallest epsilon that R1 and R2 allow; less is better
-- parameters: classes, histogram, $b, $epsilon_numerator, $epsilon_denominator, $weight_numerator, $weight_denominator (sigma + b)
WITH {% include 'audit/worst_case.sql' %},
in_classes AS (  -- with persons, the size of a class is less than the sum of its distribution
    SELECT worst_case.class, classes.size::HUGEINT AS n, largest
    FROM worst_case JOIN {{ classes | qualified }} AS classes ON classes.class = worst_case.class
),
known AS (
    SELECT class, n - $b::HUGEINT AS known, n - $b::HUGEINT - largest AS others,
           $epsilon_numerator::HUGEINT AS p, $epsilon_denominator::HUGEINT AS q,
           $weight_numerator::HUGEINT AS u, $weight_denominator::HUGEINT AS v
    FROM in_classes
),
rests AS (SELECT *, p * (v * (known - 1) + u) - q * v * known AS rest FROM known)
SELECT class,
       CASE WHEN known > 0 AND others > 0
            THEN greatest(1 + (u / v::DOUBLE) / known::DOUBLE, ((u / v::DOUBLE) * known / others::DOUBLE + known) / (known - 1 + u / v::DOUBLE)::DOUBLE)
            ELSE 'infinity'::DOUBLE END AS reached,
       known * (p - q) * v >= u * q AND rest > 0 AND others * rest >= u * q * known AS holds
FROM rests
