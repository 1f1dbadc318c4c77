-- name: audit/placing/narrowed
-- purpose: the blocks that contain each combination of the first values, narrowed to those that contain the next value too
-- parameters: narrowed (table to make), before, coded, first (positions), position (of the next), containing (its blocks)
CREATE TEMP TABLE {{ narrowed | qualified }} AS
SELECT combinations.*, before.chunk, before.places & containing.places AS places
FROM (SELECT DISTINCT {% for known in first %}code_{{ known | integer }}, {% endfor %}code_{{ position | integer }} FROM {{ coded | qualified }}) AS combinations
JOIN {{ before | qualified }} AS before
  ON {% for known in first %}before.code_{{ known | integer }} = combinations.code_{{ known | integer }}{% if not loop.last %} AND {% endif %}{% endfor %}

JOIN {{ containing | qualified }} AS containing
  ON containing.code_{{ position | integer }} = combinations.code_{{ position | integer }} AND containing.chunk = before.chunk
WHERE bit_count(before.places & containing.places) > 0
