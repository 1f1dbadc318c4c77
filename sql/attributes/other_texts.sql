-- name: attributes/other_texts
-- purpose: those of some texts that no finite value of a type is printed as
-- parameters: type, $texts
SELECT text FROM (SELECT unnest($texts::VARCHAR[]) AS text)
WHERE TRY_CAST(text AS {{ type | type_name }})::VARCHAR IS DISTINCT FROM text
   OR text IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
