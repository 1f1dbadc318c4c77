-- name: person_lists
-- purpose: the distinct persons of each cell
-- parameters: joint
SELECT DISTINCT cell, person FROM {{ joint | qualified }} ORDER BY cell ASC, person ASC
