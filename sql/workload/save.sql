-- name: workload/save
-- purpose: keep what a workload gave as a table of the user's
-- parameters: table, outcomes (a registered Arrow table)
CREATE TABLE {{ table | qualified }} AS SELECT * FROM {{ outcomes }}
