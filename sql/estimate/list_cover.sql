{#- name: estimate/list_cover
   -- purpose: how much of each list of values (or distribution) each class of values covers; only pairs with a value in common
   -- parameters: column (kind, regions: region, members; value: of one member; classes and their conditions) #}
WITH regions AS MATERIALIZED (
    {{ column.regions }}
),
members AS MATERIALIZED (
    SELECT region, {{ column.value }} AS value, {% if column.kind == 'sensitive' %}member."count" AS tuples{% else %}size{% endif %}

    FROM (SELECT region, unnest(members) AS member, len(members) AS size FROM regions)
),
holding AS (  -- the conditions are evaluated once for each value that is published
    SELECT value, list_where([
{% for class, condition in column.conditions %}
        {{ class | integer }}{% if not loop.last %},{% endif %}

{% endfor %}
    ], [
{% for class, condition in column.conditions %}
        {{ condition }}{% if not loop.last %},{% endif %}

{% endfor %}
    ]) AS classes
    FROM (SELECT DISTINCT value FROM members)
),
hits AS (
    SELECT region, {% if column.kind == 'sensitive' %}tuples{% else %}size{% endif %}, unnest(classes) AS class
    FROM members JOIN holding ON members.value IS NOT DISTINCT FROM holding.value
)
{% if column.kind == 'sensitive' %}
SELECT class, region, CAST(sum(tuples) AS BIGINT) AS tuples
{% else %}
SELECT class, region, FALSE AS guessed, count(*) = any_value(size) AS inside, count(*) / any_value(size)::DOUBLE AS share
{% endif %}
FROM hits
GROUP BY class, region
