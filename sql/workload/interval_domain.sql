-- name: workload/interval_domain
-- purpose: the smallest and the largest published bound of an ordered column, as positions
-- parameters: blocks, lower, upper
SELECT min(bound), max(bound)
FROM (SELECT {{ lower }} AS bound FROM {{ blocks }} UNION ALL SELECT {{ upper }} FROM {{ blocks }})
