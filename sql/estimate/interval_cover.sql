{#- name: estimate/interval_cover
   -- purpose: how much of each region of an ordered column each class of values covers; only pairs that have a value in common
   -- parameters: column (regions: region, lower, upper, missing; stretches: of the classes; counted; outer_first, outer_last, made of
   --   bounds, and anchor, guessed_first, guessed_last: where open ends are; scale) #}
WITH regions AS MATERIALIZED (
    {{ column.regions }}
),
stretches AS MATERIALIZED (  -- a class of values is a union of stretches (NULL: an open end) and, where "absent", of the missing value
    {{ column.stretches }}
),
ends AS (  -- an open end is taken to be as wide as its neighbour among the published bounds
    SELECT {{ column.outer_first }} AS outer_first, {{ column.outer_last }} AS outer_last, {{ column.anchor }} AS anchor
    FROM (
        SELECT list(DISTINCT bound ORDER BY bound ASC) AS bounds
        FROM (SELECT lower AS bound FROM regions UNION ALL SELECT upper FROM regions)
        WHERE bound IS NOT NULL
    )
),
pieces AS (  -- without two bounds an open end is where the query's constants place it, which nothing published supports
    SELECT class, region, missing, absent, coalesce(lower, outer_first, {{ column.guessed_first }}) AS first, coalesce(upper, outer_last, {{ column.guessed_last }}) AS last,
        missing <> 'only' AND outer_first IS NULL AND (lower IS NULL OR upper IS NULL) AS guessed,
{% if column.counted %}
        CASE WHEN absent THEN 0 ELSE greatest(0, least(last, stop) - greatest(first, start)) END AS covered,
        NOT absent AND (start IS NULL OR coalesce(lower >= start, FALSE)) AND (stop IS NULL OR coalesce(upper <= stop, FALSE)) AS inside
    FROM regions CROSS JOIN ends JOIN stretches ON CASE WHEN absent THEN missing <> 'no'
        ELSE missing <> 'only' AND coalesce(greatest(lower, start) < least(upper, stop), TRUE) END
{% else %}
        {{ column.scale }} AS scale,
        CASE WHEN absent THEN 0 ELSE greatest(0, least(last, stop) * scale - greatest(first, start) * scale) END AS covered,
        NOT absent AND (start IS NULL OR first > start OR (first = start AND starts_closed)) AND (stop IS NULL OR first < stop OR (first = stop AND stops_closed)) AS starting,
        NOT absent AND (start IS NULL OR coalesce(lower > start OR (lower = start AND starts_closed), FALSE))
            AND (stop IS NULL OR coalesce(upper < stop OR (upper = stop AND (lower IS DISTINCT FROM upper OR stops_closed)), FALSE)) AS inside
    FROM regions CROSS JOIN ends JOIN stretches ON CASE WHEN absent THEN missing <> 'no'
        WHEN missing = 'only' THEN FALSE
        WHEN lower = upper THEN (start IS NULL OR lower > start OR (lower = start AND starts_closed)) AND (stop IS NULL OR lower < stop OR (lower = stop AND stops_closed))
        ELSE coalesce(greatest(lower, start) < least(upper, stop), TRUE)
            OR (starts_closed AND start IS NOT NULL AND coalesce(lower <= start, TRUE) AND coalesce(upper > start, TRUE))
            OR (stops_closed AND stop IS NOT NULL AND coalesce(lower <= stop, TRUE) AND coalesce(upper > stop, TRUE)) END
{% endif %}
)
SELECT class, region, guessed, CASE missing WHEN 'only' THEN TRUE WHEN 'possible' THEN bool_or(inside) AND bool_or(absent) ELSE bool_or(inside) END AS inside,
{% if column.counted %}
    CASE missing WHEN 'only' THEN 1 WHEN 'possible' THEN CAST(sum(covered) + count_if(absent) AS DOUBLE) / CAST(last - first + 1 AS DOUBLE)
        ELSE CAST(sum(covered) AS DOUBLE) / CAST(last - first AS DOUBLE) END AS share
{% else %}
    CASE WHEN missing = 'only' THEN 1
        WHEN first = last AND missing = 'possible' THEN (CAST(bool_or(starting) AS DOUBLE) + CAST(bool_or(absent) AS DOUBLE)) / 2
        WHEN first = last THEN CAST(bool_or(starting) AS DOUBLE) ELSE sum(covered) / (last * scale - first * scale) END AS share
{% endif %}
FROM pieces
GROUP BY class, region, missing, guessed, first, last{% if not column.counted %}, scale{% endif %}
