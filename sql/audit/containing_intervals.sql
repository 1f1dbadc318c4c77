-- name: audit/containing_intervals
-- purpose: for each value of a numeric or temporal source column the set of blocks whose published bounds contain it
-- parameters: containing (table to make), source, value (the column's key), numbered, lower, upper, missing (or none), last
CREATE TEMP TABLE {{ containing | qualified }} AS
WITH occurring AS (SELECT DISTINCT {{ value }} AS value FROM {{ source }}),
printed AS (
    SELECT number, published.{{ lower | identifier }} AS lower, published.{{ upper | identifier }} AS upper,
           {% if missing %}published.{{ missing | identifier }}{% else %}'no'{% endif %} AS missing
    FROM {{ numbered | qualified }}
),
regions AS (SELECT DISTINCT lower, upper, missing FROM printed),
inside AS (
    SELECT value, lower, upper, missing
    FROM occurring JOIN regions
      ON CASE WHEN value IS NULL THEN missing <> 'no'
              ELSE missing <> 'only' AND (lower IS NULL OR value >= lower) AND (upper IS NULL OR value < upper OR (value = lower AND lower = upper)) END
)
SELECT value, bitstring_agg(number, 0, {{ last | integer }}) AS blocks
FROM inside JOIN printed
  ON printed.lower IS NOT DISTINCT FROM inside.lower AND printed.upper IS NOT DISTINCT FROM inside.upper AND printed.missing = inside.missing
GROUP BY value
