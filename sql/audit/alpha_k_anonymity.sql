-- name: audit/alpha_k_anonymity
-- purpose: measure of (alpha,k)-anonymity: per class the largest share of a value, missing values counted with it; less is better
-- parameters: histogram, $k, $alpha_numerator, $alpha_denominator; gives class, reached, holds
WITH {% include 'audit/worst_case.sql' %}

SELECT class, largest / n AS reached,
       n >= $k AND largest * $alpha_denominator::HUGEINT <= $alpha_numerator::HUGEINT * n AS holds
FROM worst_case
