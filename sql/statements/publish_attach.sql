-- name: statements/publish_attach
-- purpose: open the file that will be handed out
-- parameters: path, alias
ATTACH {{ path | literal }} AS {{ alias | identifier }} (READ_WRITE)
