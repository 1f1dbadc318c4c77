-- name: session/threads
-- purpose: how many threads the engine uses
-- parameters: none
SELECT current_setting('threads')::BIGINT
