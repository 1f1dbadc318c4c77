-- name: audit/delta_disclosure
-- purpose: measure of delta-disclosure: per class the largest |ln(q / P)| of a value; a value that lacks is infinite unless ignored
-- parameters: histogram, baseline (value, count), $delta, $zeros ('violation' or 'ignored'); gives class, reached, holds
WITH {% include 'audit/frequency_ratios.sql' %},
furthest AS (
    SELECT class, max(abs(ln(c / n::DOUBLE) - ln(g / whole::DOUBLE))) AS largest, count(*) < any_value(table_values) AND $zeros = 'violation' AS lacking
    FROM ratios GROUP BY class
)
SELECT class, CASE WHEN lacking THEN 'infinity'::DOUBLE ELSE largest END AS reached, largest < $delta AND NOT lacking AS holds
FROM furthest
