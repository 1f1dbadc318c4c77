-- name: audit/distinct_l_diversity
-- purpose: measure of distinct l-diversity: per class the number of different values (NULL is none)
-- parameters: histogram, $l; gives class, reached, holds
SELECT class, count(value)::DOUBLE AS reached, count(value) >= $l AS holds FROM {{ histogram | qualified }} GROUP BY class
