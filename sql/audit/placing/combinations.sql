-- name: audit/placing/combinations
-- purpose: the combinations of quasi-identifier values that occur in the source
-- parameters: combinations (table to make), source, values (key per quasi-identifier)
CREATE TEMP TABLE {{ combinations | qualified }} AS
SELECT DISTINCT {% for value in values %}{{ value }} AS value_{{ loop.index0 | integer }}{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ source }}
