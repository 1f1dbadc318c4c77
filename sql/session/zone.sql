-- name: session/zone
-- purpose: the time zone in which the session reads and prints instants
-- parameters: none
SELECT current_setting('TimeZone')
