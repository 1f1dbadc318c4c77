-- name: audit/interval_lengths
-- purpose: the shortest published edge along a numeric or temporal attribute, the blocks with a shorter one than required, and
--          those without a length (NULL belongs to them, or they are open where no source tells how far the values reach)
-- parameters: blocks, lower, upper, missing (or none), source (or none), value (its key), unit (number or moment: days),
--             integral, $required
WITH observed AS (
    {% if source %}SELECT min(value) AS low, max(value) AS high FROM (SELECT {{ value }} AS value FROM {{ source }})
    {% else %}SELECT NULL AS low, NULL AS high{% endif %}

),
regions AS (
    SELECT {% if missing %}{{ missing | identifier }} <> 'no'{% else %}false{% endif %} AS missing,
           {% if source %}coalesce({{ lower | identifier }}, low){% else %}{{ lower | identifier }}{% endif %} AS lower,
           {% if source %}coalesce({{ upper | identifier }}, high{% if integral %} + 1{% endif %}){% else %}{{ upper | identifier }}{% endif %} AS upper
    FROM {{ blocks | qualified }} CROSS JOIN observed
),
lengths AS (
    SELECT CASE WHEN NOT missing THEN
           {% if unit == 'moment' %}(epoch_us(upper) - epoch_us(lower)) / 86400e6{% else %}(upper - lower)::DOUBLE{% endif %} END AS length
    FROM regions
)
SELECT min(length), count(*) FILTER (WHERE length < $required)::BIGINT, count(*) FILTER (WHERE length IS NULL)::BIGINT FROM lengths
