-- name: audit/classes
-- purpose: the equivalence classes of a release with their sizes
-- parameters: classes (table to make), grouped (audit/grouped), keys (number of key columns)
CREATE TEMP TABLE {{ classes | qualified }} AS
SELECT class, {% for position in range(keys) %}key_{{ position | integer }}, {% endfor %}size, suppressed FROM {{ grouped | qualified }}
