-- name: statements/publish_csv
-- purpose: one table of a release as a CSV file in which NULL and the empty string stay apart
-- parameters: path, rows (the query that reads it), marker (stands for NULL; no value of the table equals it)
COPY ({{ rows }}) TO {{ path | literal }} (FORMAT csv, HEADER, FORCE_QUOTE *, NULLSTR {{ marker | literal }})
