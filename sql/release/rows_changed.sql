-- name: release/rows_changed
-- purpose: how many rows were read only the first time, or only the second
-- parameters: first, again (release/members)
SELECT count(*)::BIGINT
FROM ((FROM {{ first | qualified }} EXCEPT ALL FROM {{ again | qualified }})
      UNION ALL (FROM {{ again | qualified }} EXCEPT ALL FROM {{ first | qualified }}))
