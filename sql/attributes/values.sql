-- name: attributes/values
-- purpose: the distinct values of a quasi-identifier, numbered in order; NULL has no number
-- parameters: table (to make), relation (source), key (SQL of the value), family
CREATE TEMP TABLE {{ table | qualified }} AS
SELECT CASE WHEN value IS NOT NULL THEN (row_number() OVER (ORDER BY value ASC NULLS LAST) - 1)::INTEGER END AS ordinal,
       value, row_count
FROM (SELECT {{ key }} AS value, count(*)::BIGINT AS row_count FROM {{ relation }} AS source GROUP BY 1)
