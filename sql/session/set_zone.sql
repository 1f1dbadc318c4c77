-- name: session/set_zone
-- purpose: set the time zone in which the session reads and prints instants
-- parameters: zone (literal)
SET TimeZone = {{ zone }}
