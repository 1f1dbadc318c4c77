-- name: audit/alpha_k_anonymity
-- purpose: measure of (alpha,k)-anonymity: per class the largest share of a value, missing values counted with it; less is better
-- parameters: classes, histogram, $k, $alpha_numerator, $alpha_denominator; gives class, reached, holds
WITH {% include 'audit/worst_case.sql' %},
in_classes AS (  -- with persons, the size of a class is less than the sum of its distribution
    SELECT worst_case.class, classes.size::HUGEINT AS n, largest
    FROM worst_case JOIN {{ classes | qualified }} AS classes ON classes.class = worst_case.class
)

SELECT class, largest / n::DOUBLE AS reached,
       n >= $k AND largest * $alpha_denominator::HUGEINT <= $alpha_numerator::HUGEINT * n AS holds
FROM in_classes
