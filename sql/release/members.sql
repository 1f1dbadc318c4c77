-- name: release/members
-- purpose: read the source once: each row's cell, its sensitive values as the search keyed them, and the columns released with it
-- parameters: members (table to make), row_cells (relation), cell_column, seen (key per sensitive column), payload (SQL per column)
CREATE TEMP TABLE {{ members | qualified }} AS
SELECT {{ cell_column | identifier }} AS cell{% for key in seen %}, {{ key }} AS seen_{{ loop.index0 | integer }}{% endfor %}{% for column in payload %}, {{ column }} AS payload_{{ loop.index0 | integer }}{% endfor %}

FROM {{ row_cells }} AS source
