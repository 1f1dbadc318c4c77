-- name: audit/histogram
-- purpose: the distribution of one sensitive column in each class that is not suppressed; NULL and NaN are the value NULL
-- parameters: histogram (table to make), classes, release, keys (as in audit/classes), value (the column's key)
CREATE TEMP TABLE {{ histogram | qualified }} AS
SELECT classes.class AS class, members.value AS value, count(*)::BIGINT AS count
FROM (SELECT {% for key in keys %}{{ key }} AS key_{{ loop.index0 | integer }}, {% endfor %}{{ value }} AS value
      FROM {{ release | qualified }}) AS members
JOIN {{ classes | qualified }} AS classes
  ON {% for key in keys %}members.key_{{ loop.index0 | integer }} IS NOT DISTINCT FROM classes.key_{{ loop.index0 | integer }} AND {% endfor %}NOT classes.suppressed
GROUP BY 1, 2
