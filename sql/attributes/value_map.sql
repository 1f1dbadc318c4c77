-- name: attributes/value_map
-- purpose: the leaf code of each value of a quasi-identifier, and its rows; the missing value, where it occurs, has the missing leaf
-- parameters: value_map (to make), values, codes (ordinal, code), missing (code or NULL)
CREATE TEMP TABLE {{ value_map | qualified }} AS
SELECT distinct_values.value AS value, coalesce(codes.code, {{ missing }})::INTEGER AS code, distinct_values.row_count AS row_count
FROM {{ values | qualified }} AS distinct_values LEFT JOIN {{ codes }} AS codes ON codes.ordinal = distinct_values.ordinal
