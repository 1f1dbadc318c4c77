-- name: audit/bad_blocks
-- purpose: the blocks of a release that break a constraint, the worst first; no row means that it holds
-- parameters: measure (rendered audit/<constraint>), classes, worst_first ('ASC' or 'DESC'), $limit
SELECT classes.* EXCLUDE (class, suppressed), reached
FROM ({{ measure }}) AS measured JOIN {{ classes | qualified }} AS classes ON classes.class = measured.class
WHERE NOT holds ORDER BY reached {{ worst_first }}, classes.class ASC LIMIT $limit
