-- name: source/columns
-- purpose: names and types of a relation's columns
-- parameters: relation
DESCRIBE SELECT * FROM {{ relation }} AS source
