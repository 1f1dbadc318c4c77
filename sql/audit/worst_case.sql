{# -- name: audit/worst_case
   -- purpose: per class n, the largest count of a known value with the missing ones added to it, the missing ones and sum c ln c
   -- parameters: histogram; included by the diversity measures #}
worst_case AS (
    SELECT class, sum(count)::HUGEINT AS n,
           (coalesce(max(count) FILTER (WHERE value IS NOT NULL), 0) + coalesce(max(count) FILTER (WHERE value IS NULL), 0))::HUGEINT AS largest,
           coalesce(max(count) FILTER (WHERE value IS NULL), 0)::HUGEINT AS missing,
           coalesce(sum(count * ln(count)) FILTER (WHERE value IS NOT NULL), 0) AS known_terms
    FROM {{ histogram | qualified }} GROUP BY class
)
