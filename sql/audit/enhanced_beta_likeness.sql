-- name: audit/enhanced_beta_likeness
-- purpose: measure of enhanced beta-likeness: as basic, but a gain above -ln P counts as infinite; less is better
-- parameters: histogram, baseline (value, count), $beta_numerator, $beta_denominator; gives class, reached, holds
WITH {% include 'audit/frequency_ratios.sql' %},
gains AS (SELECT class, c * whole / (n * g)::DOUBLE - 1 AS gain, -ln(g / whole::DOUBLE) AS surprise FROM ratios)
SELECT class, max(CASE WHEN gain <= surprise + 1e-12 THEN gain ELSE 'infinity'::DOUBLE END) AS reached,
       bool_and(gain <= least($beta_numerator / $beta_denominator::DOUBLE, surprise) + 1e-12) AS holds
FROM gains GROUP BY class
