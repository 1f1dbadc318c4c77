-- name: audit/placed
-- purpose: the source's rows with the number of published blocks that contain them and, where it is one, that block; like rows as one
-- parameters: placed (table to make), source, values (key per quasi-identifier), placement (audit/placing/placement),
--             payload (key per released sensitive or kept column), person (key of the person column, or none)
CREATE TEMP TABLE {{ placed | qualified }} AS
WITH members AS (
    SELECT {% for value in values %}{{ value }} AS value_{{ loop.index0 | integer }}, {% endfor %}
           {% for column in payload %}{{ column }} AS payload_{{ loop.index0 | integer }}, {% endfor %}
           {% if person %}{{ person }}{% else %}NULL{% endif %} AS person, count(*)::BIGINT AS row_count
    FROM {{ source }} GROUP BY ALL
)
SELECT matches, block, {% for column in payload %}payload_{{ loop.index0 | integer }}, {% endfor %}person, row_count
FROM members JOIN {{ placement | qualified }} AS placement
  ON {% for value in values %}placement.value_{{ loop.index0 | integer }} IS NOT DISTINCT FROM members.value_{{ loop.index0 | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}
