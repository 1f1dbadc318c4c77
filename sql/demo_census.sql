-- name: demo_census
-- purpose: the demo database: 50,000 made-up people, the same on every machine, and the taxonomies of their categories
-- parameters: none
--
-- Every "random" number is a digest of the person's number and the column's name (draw below), so nothing depends on a seed,
-- a thread or a version of the engine. The columns are correlated as in a real census:
--   * postcode: a region (first two digits; a few large cities, many small places) and a place in it; the city is younger
--   * age: 16 to 99, few very old people; sex: a little more women, more so in old age
--   * country: mostly the home country; more people from abroad in the cities
--   * education: higher in the cities and among the middle-aged, none above secondary under 22
--   * occupation: follows from education and age (retired from 65 on; students under 25)
--   * diagnosis: follows from age and occupation
-- About one in a hundred values of occupation, one in two hundred of country and one in five hundred of age is NULL.

CREATE OR REPLACE MACRO draw(person, salt) AS md5_number_lower(salt || ':' || person::VARCHAR) / 18446744073709551616.0::DOUBLE;

CREATE TABLE census AS
WITH people AS (
    SELECT person_id, draw(person_id, 'region') AS u_region, draw(person_id, 'place') AS u_place,
           draw(person_id, 'age') AS u_age, draw(person_id, 'old') AS u_old, draw(person_id, 'sex') AS u_sex,
           draw(person_id, 'country') AS u_country, draw(person_id, 'abroad') AS u_abroad,
           draw(person_id, 'education') AS u_education, draw(person_id, 'occupation') AS u_occupation,
           draw(person_id, 'diagnosis') AS u_diagnosis, draw(person_id, 'missing') AS u_missing
    FROM range(1, 50001) AS numbers(person_id)
),
placed AS (
    SELECT *, CASE WHEN u_region < 0.28 THEN 10 WHEN u_region < 0.44 THEN 20 WHEN u_region < 0.55 THEN 35
                   ELSE [12, 24, 27, 38, 41, 46, 53, 67][1 + floor((u_region - 0.55) / 0.45 * 8)::INTEGER] END AS region
    FROM people
),
aged AS (
    SELECT *, region IN (10, 20, 35) AS urban,
           (16 + CASE WHEN u_old < 0.06 THEN 64 + floor(u_age * u_age * 20)
                      WHEN region IN (10, 20, 35) THEN floor(u_age * sqrt(sqrt(u_age)) * 64) ELSE floor((u_age + sqrt(u_age)) / 2 * 64) END)::INTEGER AS years
    FROM placed
),
educated AS (
    SELECT *, u_education + CASE WHEN urban THEN 0.15 ELSE 0 END + CASE WHEN years BETWEEN 28 AND 55 THEN 0.08 ELSE 0 END
              - CASE WHEN years > 70 THEN 0.2 ELSE 0 END AS schooling
    FROM aged
),
schooled AS (
    SELECT *, CASE WHEN schooling < 0.10 THEN 'none' WHEN schooling < 0.25 THEN 'primary'
                   WHEN schooling < 0.50 OR years < 22 THEN 'secondary' WHEN schooling < 0.68 THEN 'vocational'
                   WHEN schooling < 0.90 THEN 'bachelor' WHEN schooling < 1.10 THEN 'master' ELSE 'doctorate' END AS degree
    FROM educated
),
employed AS (
    SELECT *, CASE
        WHEN years >= 65 AND u_occupation < 0.9 THEN 'retired'
        WHEN years < 25 AND u_occupation < 0.6 THEN 'student'
        WHEN degree IN ('master', 'doctorate')
            THEN ['engineer', 'physician', 'lawyer', 'teacher', 'manager'][1 + floor(draw(person_id, 'job') * 5)::INTEGER]
        WHEN degree IN ('bachelor', 'vocational')
            THEN ['teacher', 'nurse', 'clerk', 'electrician', 'engineer', 'salesperson'][1 + floor(draw(person_id, 'job') * 6)::INTEGER]
        ELSE ['farmer', 'cleaner', 'builder', 'driver', 'salesperson', 'cook'][1 + floor(draw(person_id, 'job') * 6)::INTEGER] END AS job
    FROM schooled
)
SELECT person_id,
       'Person ' || person_id::VARCHAR AS name,
       CASE WHEN u_missing >= 0.002 THEN years END AS age,
       CASE WHEN u_sex < 0.49 - greatest(0, years - 70) * 0.006 THEN 'male' ELSE 'female' END AS sex,
       region::VARCHAR || lpad((floor(u_place * u_place * CASE WHEN urban THEN 40 ELSE 12 END) * 7)::INTEGER::VARCHAR, 3, '0') AS postcode,
       degree AS education,
       CASE WHEN draw(person_id, 'no occupation') >= 0.01 THEN job END AS occupation,
       CASE WHEN draw(person_id, 'no country') < 0.005 THEN NULL
            WHEN u_country >= CASE WHEN urban THEN 0.22 ELSE 0.06 END THEN 'Homeland'
            ELSE ['Norway', 'Poland', 'Italy', 'Portugal', 'Turkey', 'Syria', 'India', 'China', 'Ghana', 'Brazil']
                 [1 + floor(u_abroad * u_abroad * 10)::INTEGER] END AS country,
       CASE WHEN u_diagnosis < 0.45 - years * 0.003 THEN 'none'
            WHEN u_diagnosis < 0.55 THEN 'influenza'
            WHEN u_diagnosis < 0.55 + years * 0.0015 THEN 'hypertension'
            WHEN u_diagnosis < 0.56 + years * 0.0025 THEN 'diabetes'
            WHEN job IN ('builder', 'farmer', 'nurse', 'cleaner') AND u_diagnosis < 0.85 THEN 'back pain'
            WHEN u_diagnosis < 0.88 THEN 'asthma'
            WHEN u_diagnosis < 0.93 THEN 'depression'
            WHEN u_diagnosis < 0.985 THEN 'cancer' ELSE 'hiv' END AS diagnosis
FROM employed
ORDER BY person_id ASC;

CREATE TABLE education_levels (education VARCHAR, stage VARCHAR, everything VARCHAR);
INSERT INTO education_levels VALUES
    ('none', 'basic', '*'), ('primary', 'basic', '*'), ('secondary', 'upper school', '*'), ('vocational', 'upper school', '*'),
    ('bachelor', 'university', '*'), ('master', 'university', '*'), ('doctorate', 'university', '*');

CREATE TABLE occupation_groups (occupation VARCHAR, field VARCHAR, everything VARCHAR);
INSERT INTO occupation_groups VALUES
    ('engineer', 'professional', '*'), ('physician', 'professional', '*'), ('lawyer', 'professional', '*'),
    ('teacher', 'professional', '*'), ('manager', 'professional', '*'), ('nurse', 'service', '*'), ('clerk', 'service', '*'),
    ('salesperson', 'service', '*'), ('cook', 'service', '*'), ('cleaner', 'service', '*'), ('electrician', 'manual', '*'),
    ('builder', 'manual', '*'), ('driver', 'manual', '*'), ('farmer', 'manual', '*'), ('retired', 'not working', '*'),
    ('student', 'not working', '*');

CREATE TABLE country_regions (child VARCHAR, parent VARCHAR);
INSERT INTO country_regions VALUES
    ('Homeland', 'World'), ('abroad', 'World'), ('Europe', 'abroad'), ('elsewhere', 'abroad'), ('Norway', 'Europe'),
    ('Poland', 'Europe'), ('Italy', 'Europe'), ('Portugal', 'Europe'), ('Turkey', 'elsewhere'), ('Syria', 'elsewhere'),
    ('India', 'elsewhere'), ('China', 'elsewhere'), ('Ghana', 'elsewhere'), ('Brazil', 'elsewhere');

DROP MACRO draw;
