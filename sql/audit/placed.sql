-- name: audit/placed
-- purpose: each source row with the number of published blocks that contain it and, where it is one, that block
-- parameters: placed (table to make), source, values (key per quasi-identifier), containing (table per quasi-identifier),
--             payload (key per released sensitive or kept column), person (key of the person column, or none)
CREATE TEMP TABLE {{ placed | qualified }} AS
WITH members AS (
    SELECT {% for value in values %}{{ value }} AS value_{{ loop.index0 | integer }}, {% endfor %}
           {% for column in payload %}{{ column }} AS payload_{{ loop.index0 | integer }}, {% endfor %}
           {% if person %}{{ person }}{% else %}NULL{% endif %} AS person
    FROM {{ source }}
),
matched AS (
    SELECT {% for table in containing %}containing_{{ loop.index0 | integer }}.blocks{% if not loop.last %} & {% endif %}{% endfor %} AS inside,
           {% for column in payload %}payload_{{ loop.index0 | integer }}, {% endfor %}person
    FROM members
    {% for table in containing %}
    LEFT JOIN {{ table | qualified }} AS containing_{{ loop.index0 | integer }}
      ON containing_{{ loop.index0 | integer }}.value IS NOT DISTINCT FROM members.value_{{ loop.index0 | integer }}
    {% endfor %}
)
SELECT coalesce(bit_count(inside), 0)::BIGINT AS matches,
       CASE WHEN bit_count(inside) = 1 THEN bit_position('1'::BIT, inside)::BIGINT - 1 END AS block,
       {% for column in payload %}payload_{{ loop.index0 | integer }}, {% endfor %}person
FROM matched
