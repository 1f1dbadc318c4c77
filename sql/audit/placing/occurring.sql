-- name: audit/placing/occurring
-- purpose: number the values of one quasi-identifier that occur in the source
-- parameters: occurring (table to make), combinations, position (of the quasi-identifier)
CREATE TEMP TABLE {{ occurring | qualified }} AS
SELECT value, (row_number() OVER () - 1)::INTEGER AS code
FROM (SELECT DISTINCT value_{{ position | integer }} AS value FROM {{ combinations | qualified }})
