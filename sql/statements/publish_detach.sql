-- name: statements/publish_detach
-- purpose: close the file that will be handed out
-- parameters: alias
DETACH {{ alias | identifier }}
