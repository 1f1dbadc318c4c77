-- name: attributes/local_times
-- purpose: the local time of each distinct instant in a zone, in microseconds since 1970
-- parameters: table, $zone
SELECT epoch_us(timezone($zone, value)) FROM {{ table }} WHERE value IS NOT NULL ORDER BY ordinal ASC
