-- name: audit/placing/containing_intervals
-- purpose: for each value of a numeric or temporal quasi-identifier the blocks whose published bounds contain it, as places of chunks
-- parameters: containing (table to make), occurring, numbered, position, places, lower, upper, missing (names of columns, or none)
CREATE TEMP TABLE {{ containing | qualified }} AS
WITH printed AS (
    SELECT chunk, place, published.{{ lower | identifier }} AS lower, published.{{ upper | identifier }} AS upper,
           {% if missing %}published.{{ missing | identifier }}{% else %}'no'{% endif %} AS missing
    FROM {{ numbered | qualified }}
),
regions AS (SELECT DISTINCT lower, upper, missing FROM printed),
inside AS (
    SELECT code, lower, upper, missing
    FROM {{ occurring | qualified }} AS occurring JOIN regions
      ON CASE WHEN value IS NULL THEN missing <> 'no'
              ELSE missing <> 'only' AND (lower IS NULL OR value >= lower) AND (upper IS NULL OR value < upper OR (value = lower AND lower = upper)) END
)
SELECT code AS code_{{ position | integer }}, chunk, bitstring_agg(place, 0, {{ places | integer }} - 1) AS places
FROM inside JOIN printed
  ON printed.lower IS NOT DISTINCT FROM inside.lower AND printed.upper IS NOT DISTINCT FROM inside.upper AND printed.missing = inside.missing
GROUP BY code, chunk
