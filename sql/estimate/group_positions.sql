-- name: estimate/group_positions
-- purpose: the positions that the published intervals of a GROUP BY column hold (NULL: the missing value), moments also as text
-- parameters: blocks, lower, upper, missing, counted, moment (the date or time at a position; NULL for numbers), limit
WITH intervals AS (
    SELECT DISTINCT {{ lower }} AS lower, {{ upper }} AS upper, {{ missing }} AS missing FROM {{ blocks }}
),
ends AS (  -- an open end is taken to be as wide as its neighbour among the published bounds
    SELECT bounds[1] - (bounds[2] - bounds[1]) AS outer_first, bounds[-1] + (bounds[-1] - bounds[-2]) AS outer_last
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT lower AS bound FROM intervals UNION ALL SELECT upper FROM intervals)
        WHERE bound IS NOT NULL
    )
),
placed AS (
    SELECT CASE WHEN coalesce(lower, outer_first) IS NULL OR coalesce(upper, outer_last) IS NULL
            THEN error('too few bounds are published to tell where its open intervals end (a declared domain publishes them)') ELSE coalesce(lower, outer_first) END AS first,
        coalesce(upper, outer_last) AS last
    FROM intervals CROSS JOIN ends
    WHERE missing <> 'only'
)
SELECT position, position IS NULL AS missing, CAST(TRY({{ moment }}) AS VARCHAR) AS text
FROM (
{% if counted %}
    SELECT DISTINCT first + unnest(range(CAST(CASE WHEN last // 2 - first // 2 > {{ limit | integer }} THEN {{ limit | integer }} ELSE last - first END AS BIGINT))) AS position FROM placed
{% else %}
    SELECT DISTINCT CASE WHEN first = last THEN first ELSE error('the column is published as intervals of a continuous type') END AS position FROM placed
{% endif %}
    UNION ALL
    SELECT DISTINCT NULL FROM intervals WHERE missing <> 'no'
)
ORDER BY position ASC NULLS LAST
LIMIT {{ limit | integer }}
