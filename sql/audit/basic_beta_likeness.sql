-- name: audit/basic_beta_likeness
-- purpose: measure of basic beta-likeness: per class the largest gain q / P - 1 of a value; less is better
-- parameters: histogram, baseline (value, count), $beta_numerator, $beta_denominator; gives class, reached, holds
WITH {% include 'audit/frequency_ratios.sql' %}

SELECT class, max(c * whole / (n * g)::DOUBLE) - 1 AS reached,
       bool_and(c * whole * $beta_denominator::HUGEINT <= ($beta_numerator::HUGEINT + $beta_denominator::HUGEINT) * n * g) AS holds
FROM ratios GROUP BY class
