-- name: attributes/place
-- purpose: where a cut point or declared bound stands on the line
-- parameters: place (SQL), $text, $zone
SELECT {{ place }}
