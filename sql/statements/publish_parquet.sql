-- name: statements/publish_parquet
-- purpose: one table of a release as a Parquet file
-- parameters: path, rows (the query that reads it)
COPY ({{ rows }}) TO {{ path | literal }} (FORMAT parquet, COMPRESSION zstd)
