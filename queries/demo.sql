-- Count queries on the demo census (gensearch demo): what an analyst may ask of 50,000 people.

SELECT COUNT(*) FROM census WHERE age BETWEEN 30 AND 44 AND sex = 'female';

SELECT COUNT(*) FROM census WHERE occupation LIKE 'e%' AND education IN ('bachelor', 'master', 'doctorate');

SELECT COUNT(*) FROM census WHERE age >= 65 AND diagnosis = 'hypertension';

SELECT COUNT(*) FROM census WHERE (occupation = 'nurse' OR occupation = 'physician') AND NOT country = 'Homeland';

SELECT COUNT(*) FROM census WHERE country IS NULL OR occupation IS NULL;

SELECT COUNT(*) AS people, COUNT(*) FILTER (WHERE diagnosis NOT IN ('none', 'influenza')) AS ill
FROM census WHERE age < 25;

SELECT education, COUNT(*) FROM census WHERE age > 25 GROUP BY education;

SELECT sex, diagnosis, COUNT(*) FROM census GROUP BY sex, diagnosis;
