-- name: audit/rows_unbalanced
-- purpose: (block, sensitive and kept values) that occur not as often in the release as in the source rows of that block
-- parameters: placed, release, numbered, labels (names), label_keys (of the release), payload (keys)
WITH released AS (
    SELECT numbered.number AS block, {% for column in payload %}members.payload_{{ loop.index0 | integer }} AS payload_{{ loop.index0 | integer }}, {% endfor %}count(*) AS count
    FROM (SELECT {% for key in label_keys %}{{ key }} AS key_{{ loop.index0 | integer }}, {% endfor %}
                 {% for column in payload %}{{ column }} AS payload_{{ loop.index0 | integer }}, {% endfor %}1 AS one
          FROM {{ release | qualified }}) AS members
    LEFT JOIN (SELECT {% for label in labels %}encode(published.{{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}number
          FROM {{ numbered | qualified }}) AS numbered
      ON {% for label in labels %}numbered.key_{{ loop.index0 | integer }} IS NOT DISTINCT FROM members.key_{{ loop.index0 | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}

    GROUP BY ALL
),
expected AS (
    SELECT block, {% for column in payload %}payload_{{ loop.index0 | integer }}, {% endfor %}sum(row_count) AS count
    FROM {{ placed | qualified }} WHERE matches = 1 GROUP BY ALL
)
SELECT count(*)::BIGINT
FROM released FULL JOIN expected
  ON {% for column in payload %}released.payload_{{ loop.index0 | integer }} IS NOT DISTINCT FROM expected.payload_{{ loop.index0 | integer }} AND {% endfor %}released.block IS NOT DISTINCT FROM expected.block
WHERE released.count IS DISTINCT FROM expected.count
