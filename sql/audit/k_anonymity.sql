-- name: audit/k_anonymity
-- purpose: measure of k-anonymity: per class its size, and whether it holds k rows
-- parameters: classes, $k; gives class, reached, holds
SELECT class, size::DOUBLE AS reached, size >= $k AS holds FROM {{ classes | qualified }} WHERE NOT suppressed
