-- name: estimate/open_database
-- purpose: the name of the database that unqualified names mean
-- parameters: none
SELECT current_database()
