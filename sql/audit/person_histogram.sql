-- name: audit/person_histogram
-- purpose: the distribution of one sensitive column in each block, each pair of person and value counted once
-- parameters: histogram (table to make), placed, position (of the column among the released ones)
CREATE TEMP TABLE {{ histogram | qualified }} AS
SELECT block AS class, payload_{{ position | integer }} AS value, count(DISTINCT person)::BIGINT AS count
FROM {{ placed | qualified }} WHERE matches = 1 GROUP BY ALL
