-- name: attributes/category_leaves
-- purpose: the leaves of a categorical attribute: each is one value; one that no row has is read from its label
-- parameters: leaves (to make), plan (code, point, label), values, value (SQL), type, missing (code or NULL)
CREATE TEMP TABLE {{ leaves | qualified }} AS
SELECT code, member AS lower, member AS upper, member AS point_lower, member AS point_upper, label
FROM (
    SELECT plan.code AS code, coalesce({{ value }}, TRY_CAST(plan.label AS {{ type | type_name }})) AS member, plan.label AS label
    FROM {{ plan }} AS plan LEFT JOIN {{ values | qualified }} AS distinct_values ON distinct_values.ordinal = plan.point
)
UNION ALL
SELECT {{ missing }}::INTEGER, NULL, NULL, NULL, NULL, 'NULL' WHERE {{ missing }}::INTEGER IS NOT NULL
