-- name: estimate/bounds_published
-- purpose: how many different bounds each ordered column shows: two are enough to place its open ends
-- parameters: blocks, bounds (names of the lower and the upper column of each)
SELECT
{% for lower, upper in bounds %}
    (SELECT count(*) FROM (SELECT {{ lower | identifier }} FROM {{ blocks | qualified }} WHERE {{ lower | identifier }} IS NOT NULL
                           UNION SELECT {{ upper | identifier }} FROM {{ blocks | qualified }} WHERE {{ upper | identifier }} IS NOT NULL)),
{% endfor %}
