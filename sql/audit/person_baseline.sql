-- name: audit/person_baseline
-- purpose: the distribution of one sensitive column over the whole source, each pair of person and value counted once
-- parameters: baseline (table to make), placed, position (of the column among the released ones)
CREATE TEMP TABLE {{ baseline | qualified }} AS
SELECT payload_{{ position | integer }} AS value, count(DISTINCT person)::BIGINT AS count FROM {{ placed | qualified }} GROUP BY ALL
