-- name: audit/blocks
-- purpose: number the blocks that were published with a release
-- parameters: numbered (table to make), blocks
CREATE TEMP TABLE {{ numbered | qualified }} AS
SELECT (row_number() OVER () - 1)::BIGINT AS number, published FROM {{ blocks | qualified }} AS published
