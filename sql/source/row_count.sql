-- name: source/row_count
-- purpose: the number of rows of a relation
-- parameters: relation
SELECT count(*)::BIGINT FROM {{ relation }} AS source
