-- name: names/current
-- purpose: the database and schema that an unqualified CREATE goes to
-- parameters: none
SELECT current_database(), current_schema()
