-- name: release/interval_regions
-- purpose: bounds and labels of the published regions of a numeric or temporal attribute, taken from its leaf table
-- parameters: regions (table to make), printed (region, first_code, last_code, missing, whole, point, closed, neighbour: the leaf
--             up to which an extreme value beside NULL reaches), leaves,
--             integral (values are whole: [20, 25) says all; else a region that ends with a single value is called [2.5, 7.25],
--             and what lies above one > 7.25)
CREATE TEMP TABLE {{ regions | qualified }} AS
SELECT region, lower, upper, missing,
       CASE WHEN missing = 'only' THEN NULL
            WHEN point AND missing = 'no' THEN value
            WHEN whole THEN '*'
            ELSE CASE WHEN single THEN value  -- a leaf's own name: 20, [20, 25), 2024-03
                      WHEN lower IS NULL AND upper IS NULL THEN 'not NULL'
                      {% if not integral %}
                      WHEN closed AND lower IS NULL THEN '<= ' || last_value::VARCHAR
                      WHEN closed THEN '[' || lower::VARCHAR || ', ' || last_value::VARCHAR || ']'
                      WHEN upper IS NULL AND previous_value IS NOT NULL THEN '> ' || previous_value::VARCHAR
                      {% endif %}
                      WHEN lower IS NULL THEN '< ' || upper::VARCHAR
                      WHEN upper IS NULL THEN '>= ' || lower::VARCHAR
                      ELSE '[' || lower::VARCHAR || ', ' || upper::VARCHAR || ')' END
                 || CASE WHEN missing = 'possible' THEN ' or NULL' ELSE '' END END AS label
FROM (
    SELECT printed.region AS region, printed.missing AS missing, printed.whole AS whole, printed.point AS point, printed.closed AS closed,
           printed.first_code = printed.last_code AND printed.neighbour IS NULL AS single,
           CASE WHEN printed.point THEN first_leaf.point_lower
                WHEN printed.neighbour < printed.first_code THEN neighbour.upper ELSE first_leaf.lower END AS lower,
           CASE WHEN printed.point THEN first_leaf.point_upper
                WHEN printed.neighbour > printed.last_code THEN neighbour.lower ELSE last_leaf.upper END AS upper,
           first_leaf.label AS value, last_leaf.point_lower AS last_value,
           CASE WHEN printed.neighbour < printed.first_code THEN neighbour.point_lower END AS previous_value
    FROM {{ printed | qualified }} AS printed
    LEFT JOIN {{ leaves | qualified }} AS first_leaf ON first_leaf.code = printed.first_code
    LEFT JOIN {{ leaves | qualified }} AS last_leaf ON last_leaf.code = printed.last_code
    LEFT JOIN {{ leaves | qualified }} AS neighbour ON neighbour.code = printed.neighbour
)
