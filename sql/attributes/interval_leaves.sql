-- name: attributes/interval_leaves
-- purpose: the leaves of a numeric or temporal attribute: half-open bounds in the column's type (NULL: open), values of points, labels
-- parameters: leaves (to make), plan (code, lower, upper, point, label), values, lower, upper (SQL), family, missing (code or NULL)
CREATE TEMP TABLE {{ leaves | qualified }} AS
SELECT code, lower, upper, point_lower, point_upper,
       coalesce(label, CASE WHEN point_lower IS NOT NULL THEN point_lower::VARCHAR
                            WHEN lower IS NULL AND upper IS NULL THEN 'not NULL'
                            WHEN lower IS NULL THEN '< ' || upper::VARCHAR
                            WHEN upper IS NULL THEN '>= ' || lower::VARCHAR
                            ELSE '[' || lower::VARCHAR || ', ' || upper::VARCHAR || ')' END) AS label
FROM (
    SELECT plan.code AS code, {{ lower }} AS lower, {{ upper }} AS upper, distinct_values.value AS point_lower,
           {% if family in ('integer', 'date') %}TRY(distinct_values.value + 1){% else %}distinct_values.value{% endif %} AS point_upper,
           plan.label AS label
    FROM {{ plan }} AS plan LEFT JOIN {{ values | qualified }} AS distinct_values ON distinct_values.ordinal = plan.point
)
UNION ALL
SELECT {{ missing }}::INTEGER, NULL, NULL, NULL, NULL, 'NULL' WHERE {{ missing }}::INTEGER IS NOT NULL
