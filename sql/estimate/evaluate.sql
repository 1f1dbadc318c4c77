-- name: estimate/evaluate
-- purpose: constant expressions of a query, evaluated by the engine itself
-- parameters: expressions
SELECT
{% for expression in expressions %}
    {{ expression }},
{% endfor %}
