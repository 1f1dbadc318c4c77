-- name: audit/typed_differing
-- purpose: classes of a release whose typed columns are not those of their block
-- parameters: release, blocks, labels (names), typed (names of columns that both tables have)
WITH released AS (
    SELECT DISTINCT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}
           {% for column in typed %}{{ column | identifier }} AS typed_{{ loop.index0 | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ release | qualified }}
),
published AS (
    SELECT {% for label in labels %}encode({{ label | identifier }}) AS key_{{ loop.index0 | integer }}, {% endfor %}
           {% for column in typed %}{{ column | identifier }} AS typed_{{ loop.index0 | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ blocks | qualified }}
)
SELECT count(*)::BIGINT
FROM released ANTI JOIN published
  ON {% for label in labels %}released.key_{{ loop.index0 | integer }} IS NOT DISTINCT FROM published.key_{{ loop.index0 | integer }} AND {% endfor %}
     {% for column in typed %}released.typed_{{ loop.index0 | integer }} IS NOT DISTINCT FROM published.typed_{{ loop.index0 | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}
