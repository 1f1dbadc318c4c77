-- name: statements/profile_combinations
-- purpose: how many rows are unique on all the columns together (position 0), and on all but the n-th (position n)
-- parameters: source, columns (name, floating)
--
-- A row's combination is the XOR of its values' hashes, each salted by the column's position: leaving one column out is one more
-- XOR, so that the work per row grows with the number of columns and not with its square. The outer hash matters: DuckDB's hash
-- of several values is itself an XOR, so that swapping values between columns would go unnoticed.
WITH hashed AS (
    SELECT [
{% for column in columns %}
               hash(hash({{ loop.index | integer }}, CASE WHEN {{ column.name | identifier }} IS NULL
{% if column.floating %}
                      OR isnan({{ column.name | identifier }})
{% endif %}
                    THEN NULL ELSE {{ column.name | identifier }} END)){% if not loop.last %},{% endif %}

{% endfor %}
           ] AS hashes
    FROM {{ source }} AS source_rows
),
combined AS (
    SELECT hashes, list_reduce(hashes, lambda a, b: xor(a, b)) AS whole FROM hashed
),
combinations AS (
    SELECT unnest(range(1 + {{ columns | length | integer }})) AS position,
           unnest(list_prepend(whole, list_transform(hashes, lambda one: xor(whole, one)))) AS combination
    FROM combined
),
frequencies AS (
    SELECT position, combination, count(*) AS frequency FROM combinations GROUP BY position, combination
)
SELECT position::INTEGER AS position, count(*)::BIGINT AS unique_count
FROM frequencies
WHERE frequency = 1
GROUP BY position
ORDER BY position ASC
