-- name: cells_numbered
-- purpose: the rows of all cells, and how many codes have another number of rows there than when the values were numbered
-- parameters: joint, columns (name in joint; map: value, code, row_count)
SELECT (SELECT coalesce(sum(row_count), 0)::BIGINT FROM {{ joint | qualified }}),
       (0{% for column in columns %}

        + (SELECT count(*) FROM (SELECT code, sum(row_count) AS row_count FROM {{ column.map | qualified }} GROUP BY code) AS numbered
           FULL JOIN (SELECT {{ column.name }} AS code, sum(row_count) AS row_count FROM {{ joint | qualified }} GROUP BY 1) AS counted
           ON numbered.code = counted.code WHERE numbered.row_count IS DISTINCT FROM counted.row_count){% endfor %})::BIGINT
