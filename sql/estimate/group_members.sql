-- name: estimate/group_members
-- purpose: the values of a GROUP BY column that the published lists (categories, distributions) hold, and whether each is what
--          its text is read as (a VARIANT of 1 is not)
-- parameters: blocks, list, value (of one member), type, as_text (Python cannot hold the values), limit
SELECT {% if as_text %}CAST(value AS VARCHAR){% else %}value{% endif %} AS shown, CAST(value AS VARCHAR) AS text,
       coalesce(TRY(CAST(CAST(value AS VARCHAR) AS {{ type | type_name }}) IS NOT DISTINCT FROM value), FALSE) AS read_back
FROM (SELECT DISTINCT {{ value }} AS value FROM (SELECT unnest({{ list }}) AS member FROM {{ blocks }}))
ORDER BY value ASC NULLS LAST
LIMIT {{ limit | integer }}
