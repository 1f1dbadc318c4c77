-- name: audit/placing/coded
-- purpose: the combinations with the numbers of their values
-- parameters: coded (table to make), combinations, occurring (table per quasi-identifier)
CREATE TEMP TABLE {{ coded | qualified }} AS
SELECT combinations.*{% for table in occurring %}, occurring_{{ loop.index0 | integer }}.code AS code_{{ loop.index0 | integer }}{% endfor %}

FROM {{ combinations | qualified }} AS combinations
{% for table in occurring %}
JOIN {{ table | qualified }} AS occurring_{{ loop.index0 | integer }}
  ON occurring_{{ loop.index0 | integer }}.value IS NOT DISTINCT FROM combinations.value_{{ loop.index0 | integer }}
{% endfor %}
