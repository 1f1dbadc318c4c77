-- name: audit/blocks
-- purpose: number the blocks that were published with a release, and lay them out in chunks of places, one bit each
-- parameters: numbered (table to make), blocks, places (in a chunk)
CREATE TEMP TABLE {{ numbered | qualified }} AS
SELECT number, number // {{ places | integer }} AS chunk, (number % {{ places | integer }})::INTEGER AS place, published
FROM (SELECT (row_number() OVER () - 1)::BIGINT AS number, published FROM {{ blocks | qualified }} AS published)
