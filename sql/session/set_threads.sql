-- name: session/set_threads
-- purpose: let the engine use so many threads
-- parameters: threads
SET threads = {{ threads | integer }}
