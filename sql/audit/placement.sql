-- name: audit/placement
-- purpose: how many source rows lie in one, in no and in several published blocks
-- parameters: placed
SELECT coalesce(sum(row_count) FILTER (WHERE matches = 1), 0)::BIGINT, coalesce(sum(row_count) FILTER (WHERE matches = 0), 0)::BIGINT,
       coalesce(sum(row_count) FILTER (WHERE matches > 1), 0)::BIGINT
FROM {{ placed | qualified }}
