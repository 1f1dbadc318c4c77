-- name: release/release
-- purpose: the release: each row under its block's labels, in an order made of the published values alone
-- parameters: release, ranked (blocks in canonical order), members, assignment (cell, block), attributes (label and typed columns,
--             each with the column of the regions table it shows), columns (name and payload), order (SQL per released column)
--
-- Rows that are nothing but their block are not sorted: measured on a million rows, writing them takes a third of the time.
CREATE TABLE {{ release | qualified }} AS
SELECT {% for attribute in attributes %}
       {% for name, shown in attribute.columns %}ranked.{{ [shown, attribute.position] | join('_') | identifier }} AS {{ name | identifier }}{% if not (loop.last and attribute.last and not columns) %}, {% endif %}{% endfor %}
       {% endfor %}

       {% for column in columns %}members.{{ column.payload | identifier }} AS {{ column.name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

{% if columns %}
FROM {{ members | qualified }} AS members
JOIN {{ assignment | qualified }} AS assignment ON assignment.cell = members.cell
JOIN {{ ranked | qualified }} AS ranked ON ranked.block = assignment.block
ORDER BY ranked.place ASC{% for key in order %}, {{ key }} ASC NULLS LAST{% endfor %}

{% else %}
FROM (SELECT *, unnest(range(row_count)) FROM {{ ranked | qualified }}) AS ranked
{% endif %}
