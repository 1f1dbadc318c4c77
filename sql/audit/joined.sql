-- name: audit/joined
-- purpose: the source rows that either of two releases holds, each with its block in the first and in the second (NULL: suppressed
--          there), and with the values that stand beside its row there and are generalized in the other
-- parameters: joined (table to make), source, sides (two, each: values, a key per quasi-identifier; placement of those values;
--             shown: keys of those columns), sensitive (key per sensitive column of either), person (key of the person column, or none)
CREATE TEMP TABLE {{ joined | qualified }} AS
WITH members AS (
    SELECT {% for side in sides %}{% set number = loop.index0 %}{% for value in side.values %}{{ value }} AS value_{{ number | integer }}_{{ loop.index0 | integer }}, {% endfor %}
           {% for value in side.shown %}{{ value }} AS shown_{{ number | integer }}_{{ loop.index0 | integer }}, {% endfor %}{% endfor %}

           {% for column in sensitive %}{{ column }} AS sensitive_{{ loop.index0 | integer }}, {% endfor %}
           {% if person %}{{ person }}{% else %}NULL{% endif %} AS person, count(*)::BIGINT AS row_count
    FROM {{ source }} GROUP BY ALL
)
SELECT {% for side in sides %}{% set number = loop.index0 %}
       {% if side.shown %}CASE WHEN placement_{{ number | integer }}.block IS NOT NULL THEN row(placement_{{ number | integer }}.block{% for _ in side.shown %}, shown_{{ number | integer }}_{{ loop.index0 | integer }}{% endfor %}) END
       {% else %}placement_{{ number | integer }}.block
       {% endif %} AS block_{{ number | integer }},
       {% endfor %}
       {% for column in sensitive %}sensitive_{{ loop.index0 | integer }}, {% endfor %}person, row_count
FROM members
{% for side in sides %}
{% set number = loop.index0 %}
JOIN {{ side.placement | qualified }} AS placement_{{ number | integer }}
  ON {% for value in side.values %}placement_{{ number | integer }}.value_{{ loop.index0 | integer }} IS NOT DISTINCT FROM members.value_{{ number | integer }}_{{ loop.index0 | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}

{% endfor %}
WHERE placement_0.block IS NOT NULL OR placement_1.block IS NOT NULL
