-- name: statements/apply_categorical_leaves
-- purpose: which leaves of the new rows' grid stand in which published list of values
-- parameters: table (numbered blocks), number, values (column), leaves, $missing_code (or NULL)
SELECT DISTINCT region.{{ number | identifier }}::BIGINT AS region, leaf.code::BIGINT AS code
FROM {{ table | qualified }} AS region
JOIN {{ leaves | qualified }} AS leaf ON CASE
    WHEN leaf.code = $missing_code THEN list_count(region.{{ values | identifier }}) < len(region.{{ values | identifier }})
    ELSE coalesce(list_contains(list_transform(region.{{ values | identifier }}, lambda each: encode(each::VARCHAR)), encode(leaf.lower::VARCHAR)), false)
END
ORDER BY region ASC, code ASC
