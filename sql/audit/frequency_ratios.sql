{# -- name: audit/frequency_ratios
   -- purpose: per class and value that occurs in it the counts of block and table (c, n, G, N), and how many values the table has
   -- parameters: histogram, baseline; included by beta-likeness and delta-disclosure #}
total AS (SELECT sum(count)::HUGEINT AS whole, count(*) AS table_values FROM {{ baseline | qualified }}),
sizes AS (SELECT class, sum(count)::HUGEINT AS n FROM {{ histogram | qualified }} GROUP BY class),
ratios AS (
    SELECT histogram.class, n, whole, table_values, histogram.count::HUGEINT AS c, baseline.count::HUGEINT AS g
    FROM {{ histogram | qualified }} AS histogram
    JOIN sizes ON sizes.class = histogram.class
    JOIN {{ baseline | qualified }} AS baseline ON baseline.value IS NOT DISTINCT FROM histogram.value
    CROSS JOIN total
)
