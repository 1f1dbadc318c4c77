-- name: million_rows
-- purpose: a million rows like Adult's: rows drawn with replacement, then each cell drawn anew from its column with chance 1/10
-- parameters: $source, the Parquet file of Adult; $rows, how many rows. Drawn by MD5: the same rows on every machine
CREATE TABLE people AS
WITH source AS (
    SELECT
        count(*) AS size,
        list(age ORDER BY file_row_number) AS ages,
        list(workclass ORDER BY file_row_number) AS workclasses,
        list(education ORDER BY file_row_number) AS educations,
        list("marital-status" ORDER BY file_row_number) AS marital_statuses,
        list(occupation ORDER BY file_row_number) AS occupations,
        list(race ORDER BY file_row_number) AS races,
        list(sex ORDER BY file_row_number) AS sexes,
        list("native-country" ORDER BY file_row_number) AS countries
    FROM read_parquet($source, file_row_number = true)
),
draws AS (
    SELECT
        md5_number_lower(number || ' row') AS whole,
        [md5_number_lower(number || ' ' || attribute) FOR attribute IN range(8)] AS cell
    FROM range($rows) AS numbers(number)
),
positions AS (
    -- The last decimal digit says whether a cell is drawn anew, the other digits from which row.
    SELECT [1 + (CASE WHEN each % 10 = 0 THEN each // 10 ELSE whole END % size)::BIGINT FOR each IN cell] AS drawn, source.*
    FROM draws, source
)
SELECT
    ages[drawn[1]] AS age,
    workclasses[drawn[2]] AS workclass,
    educations[drawn[3]] AS education,
    marital_statuses[drawn[4]] AS "marital-status",
    occupations[drawn[5]] AS occupation,
    races[drawn[6]] AS race,
    sexes[drawn[7]] AS sex,
    countries[drawn[8]] AS "native-country"
FROM positions;
