-- name: attributes/instants
-- purpose: the instants of local times in a zone, in microseconds since 1970; beyond the type's ends zones shift nothing
-- parameters: $times (list of microseconds), $zone
SELECT coalesce(TRY(epoch_us(timezone($zone, make_timestamp(TRY_CAST(local_time AS BIGINT))))), local_time)
FROM (SELECT unnest($times::HUGEINT[]) AS local_time, generate_subscripts($times, 1) AS position) ORDER BY position ASC
