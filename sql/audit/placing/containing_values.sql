-- name: audit/placing/containing_values
-- purpose: for each value of a categorical quasi-identifier the blocks whose published list of values contains it, as places of chunks
-- parameters: containing (table to make), occurring, numbered, position, places, values (a column), member (key of a list's member)
CREATE TEMP TABLE {{ containing | qualified }} AS
WITH members AS (SELECT chunk, place, unnest(published.{{ values | identifier }}) AS member FROM {{ numbered | qualified }}),
printed AS (SELECT chunk, place, {{ member }} AS value FROM members)
SELECT code AS code_{{ position | integer }}, chunk, bitstring_agg(place, 0, {{ places | integer }} - 1) AS places
FROM {{ occurring | qualified }} AS occurring JOIN printed ON printed.value IS NOT DISTINCT FROM occurring.value
GROUP BY code, chunk
