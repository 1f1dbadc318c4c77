-- name: rows_without_person
-- purpose: rows that belong to nobody
-- parameters: relation, key (SQL)
SELECT count(*)::BIGINT FROM {{ relation }} AS source WHERE {{ key }} IS NULL
