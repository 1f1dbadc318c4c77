-- name: names/current_database
-- purpose: the database that names without one refer to
-- parameters: none
SELECT current_database()
