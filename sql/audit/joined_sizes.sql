-- name: audit/joined_sizes
-- purpose: the classes of the join of two releases: how many, the smallest, those below k, and the rows of each release among them
-- parameters: joined, persons (whether sizes count distinct persons; rows without one count as one person together), $k
WITH classes AS (
    SELECT block_0, block_1, sum(row_count) AS row_count,
           {% if persons %}count(DISTINCT person) + max((person IS NULL)::BIGINT){% else %}sum(row_count){% endif %} AS size
    FROM {{ joined | qualified }} GROUP BY block_0, block_1
)
SELECT count(*)::BIGINT, min(size)::BIGINT, count(*) FILTER (WHERE size < $k)::BIGINT,
       coalesce(sum(row_count) FILTER (WHERE block_0 IS NOT NULL), 0)::BIGINT, coalesce(sum(row_count) FILTER (WHERE block_1 IS NOT NULL), 0)::BIGINT
FROM classes
