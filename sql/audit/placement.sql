-- name: audit/placement
-- purpose: how many source rows lie in one, in no and in several published blocks
-- parameters: placed
SELECT count(*) FILTER (WHERE matches = 1)::BIGINT, count(*) FILTER (WHERE matches = 0)::BIGINT, count(*) FILTER (WHERE matches > 1)::BIGINT
FROM {{ placed | qualified }}
