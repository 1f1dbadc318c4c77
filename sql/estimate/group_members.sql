-- name: estimate/group_members
-- purpose: the values of a GROUP BY column that the published lists (categories, distributions) hold
-- parameters: blocks, list, value (of one member), limit
SELECT value, CAST(value AS VARCHAR) AS text
FROM (SELECT DISTINCT {{ value }} AS value FROM (SELECT unnest({{ list }}) AS member FROM {{ blocks }}))
ORDER BY value ASC NULLS LAST
LIMIT {{ limit | integer }}
