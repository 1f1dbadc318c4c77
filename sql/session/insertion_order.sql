-- name: session/insertion_order
-- purpose: whether the user lets tables keep the order in which rows are written
-- parameters: none
SELECT current_setting('preserve_insertion_order')::BOOLEAN
