-- name: release/cells_changed
-- purpose: how many (cell, sensitive values) hold another number of rows now than when the search saw them; a row without a cell,
--          or with a value that was not there, counts as one
-- parameters: members (rows with their cell and keys), joint (what the search saw), maps (value map per sensitive column)
WITH now AS (
    SELECT members.cell AS cell, {% for map in maps %}map_{{ loop.index0 | integer }}.code AS value_{{ loop.index0 | integer }}, {% endfor %}count(*) AS row_count
    FROM {{ members | qualified }} AS members
    {% for map in maps %}
    LEFT JOIN {{ map | qualified }} AS map_{{ loop.index0 | integer }} ON members.seen_{{ loop.index0 | integer }} IS NOT DISTINCT FROM map_{{ loop.index0 | integer }}.value
    {% endfor %}
    GROUP BY ALL
),
seen AS (
    SELECT cell, {% for map in maps %}value_{{ loop.index0 | integer }}, {% endfor %}sum(row_count) AS row_count
    FROM {{ joint | qualified }} GROUP BY ALL
)
SELECT count(*)::BIGINT
FROM now FULL JOIN seen
  ON {% for map in maps %}now.value_{{ loop.index0 | integer }} IS NOT DISTINCT FROM seen.value_{{ loop.index0 | integer }} AND {% endfor %}now.cell = seen.cell
WHERE now.row_count IS DISTINCT FROM seen.row_count
