-- name: audit/released_baseline
-- purpose: the distribution of one sensitive column over all released rows
-- parameters: baseline (table to make), histogram
CREATE TEMP TABLE {{ baseline | qualified }} AS
SELECT value, sum(count)::BIGINT AS count FROM {{ histogram | qualified }} GROUP BY value
