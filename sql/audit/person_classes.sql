-- name: audit/person_classes
-- purpose: the blocks of a release with their sizes in distinct persons
-- parameters: classes (table to make), placed (audit/placed: source rows with their block)
CREATE TEMP TABLE {{ classes | qualified }} AS
SELECT block AS class, count(DISTINCT person)::BIGINT AS size, false AS suppressed
FROM {{ placed | qualified }} WHERE matches = 1 GROUP BY block
