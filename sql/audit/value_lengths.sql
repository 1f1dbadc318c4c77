-- name: audit/value_lengths
-- purpose: the smallest number of published values of a categorical attribute, the blocks with fewer than required, and no others
-- parameters: blocks, values (the column of lists), $required
SELECT min(len({{ values | identifier }}))::DOUBLE, count(*) FILTER (WHERE len({{ values | identifier }}) < $required)::BIGINT, 0::BIGINT
FROM {{ blocks | qualified }}
