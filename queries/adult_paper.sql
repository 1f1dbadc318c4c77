-- The six count queries of Experiment 9 in the paper, in the column names and spellings of the public Adult file
-- (MARITAL is marital-status, ETHNICITY is race). Fig 22 compares releases by them.

-- Query 1
SELECT COUNT(*) FROM adult A
WHERE A."marital-status" IN ('Married-civ-spouse', 'Never-married', 'Married-spouse-absent', 'Divorced')
  AND A.race IN ('White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo');

-- Query 2
SELECT COUNT(*) FROM adult A
WHERE A.age BETWEEN 37 AND 77
  AND A."marital-status" IN ('Married-civ-spouse', 'Never-married', 'Married-spouse-absent', 'Divorced')
  AND A.race IN ('White', 'Black', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo');

-- Query 3
SELECT COUNT(*) FROM adult A
WHERE A.age BETWEEN 22 AND 42
  AND A.race IN ('White', 'Black');

-- Query 4
SELECT COUNT(*) FROM adult A
WHERE A.age BETWEEN 47 AND 67
  AND A."marital-status" IN ('Married-civ-spouse', 'Never-married', 'Divorced')
  AND A.race IN ('White', 'Black');

-- Query 5
SELECT COUNT(*) FROM adult A
WHERE A.age BETWEEN 42 AND 52
  AND A."marital-status" IN ('Married-civ-spouse', 'Divorced', 'Married-spouse-absent')
  AND A.race IN ('White', 'Black', 'Asian-Pac-Islander');

-- Query 6
SELECT COUNT(*) FROM adult A
WHERE A.age BETWEEN 42 AND 52
  AND A."marital-status" IN ('Married-civ-spouse', 'Never-married')
  AND A.race IN ('White', 'Black');
