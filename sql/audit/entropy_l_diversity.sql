-- name: audit/entropy_l_diversity
-- purpose: measure of entropy l-diversity: per class e^entropy, missing values counted with the most frequent one; ties are met
-- parameters: histogram, $l; gives class, reached, holds
WITH {% include 'audit/worst_case.sql' %},
entropies AS (
    SELECT class, missing = n AS unknown,
           ln(n) - (known_terms + largest * ln(largest)
                    - CASE WHEN largest > missing THEN (largest - missing) * ln(largest - missing) ELSE 0 END) / n::DOUBLE AS entropy
    FROM worst_case
)
SELECT class, CASE WHEN unknown THEN 0 ELSE exp(entropy) END AS reached, entropy >= ln($l) - 1e-12 AS holds FROM entropies
