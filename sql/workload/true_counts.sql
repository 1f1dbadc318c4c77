-- name: workload/true_counts
-- purpose: what a count query gives on a table, group values that Python cannot hold as text
-- parameters: query, as_text (of each column)
SELECT {% for text in as_text %}{% if text %}CAST(#{{ loop.index | integer }} AS VARCHAR){% else %}#{{ loop.index | integer }}{% endif %}{% if not loop.last %}, {% endif %}{% endfor %} FROM (
{{ query }}
)
