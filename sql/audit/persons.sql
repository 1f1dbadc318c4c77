-- name: audit/persons
-- purpose: k of a release in persons: the smallest number of distinct persons in a block, and the blocks below the required k
-- parameters: placed, $k; rows without a person count as one person together
SELECT min(persons)::BIGINT, count(*) FILTER (WHERE persons < $k)::BIGINT
FROM (SELECT block, count(DISTINCT person) + max((person IS NULL)::BIGINT) AS persons
      FROM {{ placed | qualified }} WHERE matches = 1 GROUP BY block)
