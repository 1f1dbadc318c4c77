-- name: audit/interval_lengths
-- purpose: the shortest published edge along a numeric or temporal attribute, the blocks with a shorter one than required, and
--          those without a length (NULL belongs to them, or they are open where no source tells how far the values reach)
-- parameters: blocks, lower, upper, missing (or none), source (or none), value (its key), unit (number, date, or
--             timestamp, instant: days), integral, $required
-- Where a type cannot hold a difference, that is so large that doubles tell it from anything required. TIMESTAMP_S and
-- TIMESTAMP_MS themselves have microseconds in the years 1677 to 2262 alone.
WITH observed AS (
    {% if source %}SELECT min(value) AS low, max(value) AS high FROM (SELECT {{ value }} AS value FROM {{ source }})
    {% else %}SELECT NULL AS low, NULL AS high{% endif %}

),
regions AS (
    SELECT {% if missing %}{{ missing | identifier }} <> 'no'{% else %}false{% endif %} AS missing,
           {% if source %}coalesce({{ lower | identifier }}, low){% else %}{{ lower | identifier }}{% endif %} AS lower,
           {% if source %}coalesce({{ upper | identifier }}, high){% else %}{{ upper | identifier }}{% endif %} AS upper,
           {% if integral %}CASE WHEN {{ upper | identifier }} IS NULL THEN 1 ELSE 0 END{% else %}0{% endif %} AS beyond
    FROM {{ blocks | qualified }} CROSS JOIN observed
),
lengths AS (
    SELECT CASE WHEN NOT missing THEN
           {% if unit == 'timestamp' %}(epoch_us(upper::TIMESTAMP)::HUGEINT - epoch_us(lower::TIMESTAMP)) / 86400e6
           {% elif unit == 'instant' %}(epoch_us(upper)::HUGEINT - epoch_us(lower)) / 86400e6
           {% elif unit == 'date' %}(upper - lower)::DOUBLE + beyond
           {% else %}coalesce(TRY(upper - lower)::DOUBLE, upper::DOUBLE - lower::DOUBLE) + beyond{% endif %} END AS length
    FROM regions
)
SELECT min(length), count(*) FILTER (WHERE length < $required)::BIGINT, count(*) FILTER (WHERE length IS NULL)::BIGINT FROM lengths
