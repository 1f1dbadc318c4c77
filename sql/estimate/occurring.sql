-- name: estimate/occurring
-- purpose: which combinations of conditions on a listed column occur among its published values
-- parameters: blocks, list, value (of one member), conditions
SELECT DISTINCT
{% for condition in conditions %}
    {{ condition }},
{% endfor %}
FROM (SELECT DISTINCT {{ value }} AS value FROM (SELECT unnest({{ list }}) AS member FROM {{ blocks }}))
