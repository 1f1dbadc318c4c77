-- name: statements/apply_block_regions
-- purpose: the numbers of each block's regions, one row per block
-- parameters: table (numbered blocks), numbers (names of the number columns)
SELECT {% for number in numbers %}{{ number | identifier }}::BIGINT{% if not loop.last %}, {% endif %}{% endfor %}

FROM {{ table | qualified }}
ORDER BY ALL ASC
