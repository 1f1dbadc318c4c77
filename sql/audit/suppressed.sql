-- name: audit/suppressed
-- purpose: the rows that carry the suppression marker in every quasi-identifier
-- parameters: classes
SELECT coalesce(sum(size), 0)::BIGINT FROM {{ classes | qualified }} WHERE suppressed
