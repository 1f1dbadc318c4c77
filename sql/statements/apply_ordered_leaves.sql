-- name: statements/apply_ordered_leaves
-- purpose: which leaves of the new rows' grid lie inside which published interval
-- parameters: table (numbered blocks), number, lower, upper, missing (columns; missing may be None), leaves, $missing_code (or NULL)
--
-- Bounds are half-open; NULL is an open end; equal bounds hold exactly that value. A leaf counts only if it lies inside wholly.
SELECT DISTINCT region.{{ number | identifier }}::BIGINT AS region, leaf.code::BIGINT AS code
FROM {{ table | qualified }} AS region
JOIN {{ leaves | qualified }} AS leaf ON CASE
    WHEN leaf.code = $missing_code THEN
{% if missing %}
        region.{{ missing | identifier }} IN ('possible', 'only')
{% else %}
        false
{% endif %}
{% if missing %}
    WHEN region.{{ missing | identifier }} = 'only' THEN false
{% endif %}
    WHEN region.{{ lower | identifier }} = region.{{ upper | identifier }} THEN
        coalesce(leaf.point_lower = region.{{ lower | identifier }}, false)
    ELSE (region.{{ lower | identifier }} IS NULL OR coalesce(leaf.lower >= region.{{ lower | identifier }}, false))
     AND (region.{{ upper | identifier }} IS NULL OR coalesce(leaf.upper <= region.{{ upper | identifier }}, false))
END
ORDER BY region ASC, code ASC
