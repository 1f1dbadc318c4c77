-- name: statements/publish_table
-- purpose: one table of a release in the file that will be handed out
-- parameters: target, rows (the query that reads it)
CREATE TABLE {{ target | qualified }} AS {{ rows }}
