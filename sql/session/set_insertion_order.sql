-- name: session/set_insertion_order
-- purpose: let tables keep the order in which rows are written, or restore what the user had set
-- parameters: on
SET preserve_insertion_order = {% if on %}true{% else %}false{% endif %}
