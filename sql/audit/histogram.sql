-- name: audit/histogram
-- purpose: the distribution of one sensitive column in each class that is not suppressed; NULL and NaN are the value NULL
-- parameters: histogram (table to make), grouped (audit/grouped), position (of the column among the sensitive ones)
CREATE TEMP TABLE {{ histogram | qualified }} AS
SELECT class, value, sum(count)::BIGINT AS count
FROM (
    SELECT class, unnest(values_{{ position | integer }}) AS value, unnest(counts) AS count
    FROM {{ grouped | qualified }} WHERE NOT suppressed
)
GROUP BY class, value
