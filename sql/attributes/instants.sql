-- name: attributes/instants
-- purpose: the instants of local times in a zone, in microseconds since 1970
-- parameters: $times (list of microseconds), $zone
SELECT epoch_us(timezone($zone, make_timestamp(local_time)))
FROM (SELECT unnest($times)::BIGINT AS local_time, generate_subscripts($times, 1) AS position) ORDER BY position ASC
