-- name: workload/lone_regions
-- purpose: the regions of single leaf values as a release publishes them, each at the place of its leaf
-- parameters: regions (made by release/interval_regions)
SELECT region AS code, lower, upper, missing FROM {{ regions | qualified }}
