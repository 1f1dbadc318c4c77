-- name: person_distribution
-- purpose: which pairs of person and value occur in each cell; a pair has one number in the whole table
-- parameters: joint, value (its column in joint)
SELECT cell, value, 1::BIGINT AS count, (dense_rank() OVER (ORDER BY person ASC, value ASC) - 1)::BIGINT AS pair
FROM (SELECT DISTINCT cell, {{ value }} AS value, person FROM {{ joint | qualified }}) ORDER BY cell ASC, value ASC, pair ASC
