-- name: estimate/checks
-- purpose: whether conditions on a listed column can be evaluated at all, tried with some value of its type
-- parameters: conditions (on value), sample
SELECT
{% for condition in conditions %}
    {{ condition }},
{% endfor %}
FROM (SELECT {{ sample }} AS value)
