-- name: attributes/local_times
-- purpose: the local time of each distinct instant in a zone, in microseconds since 1970; where the type does not reach, in UTC
-- parameters: table, $zone
SELECT coalesce(TRY(epoch_us(timezone($zone, value))), epoch_us(value)) FROM {{ table }} WHERE value IS NOT NULL ORDER BY ordinal ASC
