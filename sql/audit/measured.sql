-- name: audit/measured
-- purpose: what a measure says of a whole release: the extreme values reached, and the blocks and rows that break the constraint
-- parameters: measure (rendered audit/<constraint>), classes
SELECT count(*)::BIGINT AS blocks, min(reached) AS smallest, max(reached) AS largest,
       count(*) FILTER (WHERE NOT holds)::BIGINT AS bad_blocks, coalesce(sum(size) FILTER (WHERE NOT holds), 0)::BIGINT AS bad_rows
FROM ({{ measure }}) AS measured JOIN {{ classes | qualified }} AS classes ON classes.class = measured.class
