-- name: audit/joined_homogeneous
-- purpose: the classes of the join of two releases in which a sensitive column has at most one known value
-- parameters: joined, position (of the sensitive column)
SELECT count(*)::BIGINT
FROM (SELECT count(DISTINCT sensitive_{{ position | integer }}) AS known FROM {{ joined | qualified }} GROUP BY block_0, block_1)
WHERE known <= 1
