-- name: audit/baseline
-- purpose: the distribution of one sensitive column over a whole table: the source where it is known, else the release
-- parameters: baseline (table to make), relation (SQL of the table), value (the column's key)
CREATE TEMP TABLE {{ baseline | qualified }} AS
SELECT {{ value }} AS value, count(*)::BIGINT AS count FROM {{ relation }} GROUP BY 1
