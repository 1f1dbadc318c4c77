-- name: audit/containing_values
-- purpose: for each value of a categorical source column the set of blocks whose published list of values contains it
-- parameters: containing (table to make), source, value (the column's key), numbered, values, member (key of a list's member), last
CREATE TEMP TABLE {{ containing | qualified }} AS
WITH occurring AS (SELECT DISTINCT {{ value }} AS value FROM {{ source }}),
members AS (SELECT number, unnest(published.{{ values | identifier }}) AS member FROM {{ numbered | qualified }}),
printed AS (SELECT number, {{ member }} AS value FROM members)
SELECT occurring.value AS value, bitstring_agg(number, 0, {{ last | integer }}) AS blocks
FROM occurring JOIN printed ON printed.value IS NOT DISTINCT FROM occurring.value
GROUP BY occurring.value
