-- name: audit/distributions_differing
-- purpose: (block, sensitive value) whose published count is not the count in the release
-- parameters: release, blocks, labels (names), distribution (the blocks' column), value (key in the release), member (key in a list)
WITH counted AS (
    SELECT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}
           {{ value }} AS value, count(*)::BIGINT AS count
    FROM {{ release | qualified }} GROUP BY ALL
),
unnested AS (
    SELECT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}
           unnest({{ distribution | identifier }}) AS entry
    FROM {{ blocks | qualified }}
),
members AS (SELECT * EXCLUDE (entry), entry.value AS member, entry.count AS count FROM unnested),
published AS (SELECT * EXCLUDE (member, count), {{ member }} AS value, count FROM members)
SELECT count(*)::BIGINT
FROM counted FULL JOIN published
  ON {% for label in labels %}counted.key_{{ loop.index0 | integer }} IS NOT DISTINCT FROM published.key_{{ loop.index0 | integer }} AND {% endfor %}counted.value IS NOT DISTINCT FROM published.value
WHERE counted.count IS DISTINCT FROM published.count
