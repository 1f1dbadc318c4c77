-- name: release/value_regions
-- purpose: the lists of leaf values that the labels of a categorical attribute stand for, in the order of the leaves
-- parameters: regions (table to make), printed (region, label, code: one row per leaf), leaves, type (of the published values)
CREATE TEMP TABLE {{ regions | qualified }} AS
SELECT printed.region AS region, any_value(printed.label) AS label,
       list(leaves.lower::{{ type | type_name }} ORDER BY printed.code ASC) AS members
FROM {{ printed | qualified }} AS printed
JOIN {{ leaves | qualified }} AS leaves ON leaves.code = printed.code
GROUP BY printed.region
