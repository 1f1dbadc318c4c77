-- name: audit/sizes
-- purpose: k of a release: its smallest class, and the classes and rows below the required k
-- parameters: classes, $k (0: no requirement)
SELECT count(*)::BIGINT AS classes, coalesce(sum(size), 0)::BIGINT AS row_count, min(size)::BIGINT AS smallest,
       count(*) FILTER (WHERE size < $k)::BIGINT AS classes_below, coalesce(sum(size) FILTER (WHERE size < $k), 0)::BIGINT AS rows_below
FROM {{ classes | qualified }}
WHERE NOT suppressed
