-- name: audit/joined
-- purpose: the source rows that either of two releases holds, each with its block in the first and in the second (NULL: suppressed there)
-- parameters: joined (table to make), source, sides (two, each: values, a key per quasi-identifier; containing, a table per one),
--             sensitive (key per sensitive column of either), person (key of the person column, or none)
CREATE TEMP TABLE {{ joined | qualified }} AS
WITH members AS (
    SELECT {% for side in sides %}{% set number = loop.index0 %}{% for value in side.values %}{{ value }} AS value_{{ number | integer }}_{{ loop.index0 | integer }}, {% endfor %}{% endfor %}

           {% for column in sensitive %}{{ column }} AS sensitive_{{ loop.index0 | integer }}, {% endfor %}
           {% if person %}{{ person }}{% else %}NULL{% endif %} AS person
    FROM {{ source }}
),
matched AS (
    SELECT {% for side in sides %}{% set number = loop.index0 %}{% for table in side.containing %}containing_{{ number | integer }}_{{ loop.index0 | integer }}.blocks{% if not loop.last %} & {% endif %}{% endfor %} AS inside_{{ number | integer }},
           {% endfor %}
           {% for column in sensitive %}sensitive_{{ loop.index0 | integer }}, {% endfor %}person
    FROM members
    {% for side in sides %}
    {% set number = loop.index0 %}
    {% for table in side.containing %}
    LEFT JOIN {{ table | qualified }} AS containing_{{ number | integer }}_{{ loop.index0 | integer }}
      ON containing_{{ number | integer }}_{{ loop.index0 | integer }}.value IS NOT DISTINCT FROM members.value_{{ number | integer }}_{{ loop.index0 | integer }}
    {% endfor %}
    {% endfor %}
)
SELECT {% for side in sides %}CASE WHEN bit_count(inside_{{ loop.index0 | integer }}) = 1 THEN bit_position('1'::BIT, inside_{{ loop.index0 | integer }})::BIGINT - 1 END AS block_{{ loop.index0 | integer }},
       {% endfor %}
       {% for column in sensitive %}sensitive_{{ loop.index0 | integer }}, {% endfor %}person
FROM matched
WHERE bit_count(inside_0) = 1 OR bit_count(inside_1) = 1
