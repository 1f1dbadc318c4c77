-- name: source/plan
-- purpose: the plan by which a relation is read, which names the tables behind views and queries
-- parameters: relation
EXPLAIN (FORMAT JSON) SELECT * FROM {{ relation }} AS source
