-- name: release/members
-- purpose: read the source once: each row's cell and the columns that are released with it, free of user types and collations
-- parameters: members (table to make), row_cells (relation), cell_column, payload (SQL per column)
CREATE TEMP TABLE {{ members | qualified }} AS
SELECT {{ cell_column | identifier }} AS cell{% for column in payload %}, {{ column }} AS payload_{{ loop.index0 | integer }}{% endfor %}

FROM {{ row_cells }}
