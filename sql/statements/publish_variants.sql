-- name: statements/publish_variants
-- purpose: in how many rows a column of VARIANTs holds what Parquet has no type for
-- parameters: table, column
SELECT count(*) FROM {{ table | qualified }}
WHERE {{ column | identifier }} IS NOT NULL AND TRY(variant_to_parquet_variant({{ column | identifier }})) IS NULL
