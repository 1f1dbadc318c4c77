-- name: persons
-- purpose: number the persons
-- parameters: persons (to make), relation, key (SQL)
CREATE TEMP TABLE {{ persons | qualified }} AS
SELECT value, (row_number() OVER (ORDER BY value ASC) - 1)::BIGINT AS code
FROM (SELECT DISTINCT {{ key }} AS value FROM {{ relation }} AS source) WHERE value IS NOT NULL
