-- name: audit/blocks_differing
-- purpose: classes of the release and published blocks that do not agree: one without the other, another count, a label twice
-- parameters: release, blocks, labels (names of the label columns), count (the blocks' count column)
WITH classes AS (
    SELECT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}count(*)::BIGINT AS size
    FROM {{ release | qualified }} GROUP BY ALL
),
published AS (
    SELECT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}
           sum({{ count | identifier }})::BIGINT AS size, count(*) AS blocks
    FROM {{ blocks | qualified }} GROUP BY {% for label in labels %}{{ loop.index | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT count(*)::BIGINT
FROM classes FULL JOIN published
  ON {% for label in labels %}classes.key_{{ loop.index0 | integer }} IS NOT DISTINCT FROM published.key_{{ loop.index0 | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}

WHERE classes.size IS DISTINCT FROM published.size OR published.blocks <> 1
