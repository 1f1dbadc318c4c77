-- name: statements/profile_columns
-- purpose: of each column: rows, NULLs (NaN counts as one), distinct values, values that occur once, sum of squared frequencies
-- parameters: source, columns (name, floating)
--
-- The rows are read once. Values are compared by their 64-bit hashes, so that no value is held twice and any type fits.
WITH measured AS (
    SELECT unnest(range({{ columns | length | integer }})) AS position,
           unnest([
{% for column in columns %}
               CASE WHEN {{ column.name | identifier }} IS NULL
{% if column.floating %}
                      OR isnan({{ column.name | identifier }})
{% endif %}
                    THEN NULL ELSE hash({{ column.name | identifier }}) END{% if not loop.last %},{% endif %}

{% endfor %}
           ]) AS value
    FROM {{ source }} AS source_rows
),
frequencies AS (
    SELECT position, value, count(*) AS frequency FROM measured GROUP BY position, value
)
SELECT position::INTEGER AS position,
       sum(frequency)::BIGINT AS row_count,
       coalesce(sum(frequency) FILTER (WHERE value IS NULL), 0)::BIGINT AS null_count,
       count(value)::BIGINT AS distinct_count,
       count(*) FILTER (WHERE value IS NOT NULL AND frequency = 1)::BIGINT AS unique_count,
       sum(frequency::DOUBLE * frequency) AS squares
FROM frequencies
GROUP BY position
ORDER BY position ASC
