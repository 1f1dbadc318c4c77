-- name: catalog/current
-- purpose: the database and schema that unqualified names mean
-- parameters: none
SELECT current_database(), current_schema()
