-- name: attributes/enum_levels
-- purpose: the levels of an ENUM type in their order
-- parameters: type
SELECT unnest(enum_range(NULL::{{ type | type_name }}))::VARCHAR
