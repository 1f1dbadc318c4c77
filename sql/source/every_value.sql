-- name: source/every_value
-- purpose: read every value of a relation, so that those that cannot be computed (a cast in a view) fail here
-- parameters: relation
SELECT bit_xor(hash(COLUMNS(*))) FROM {{ relation }}
