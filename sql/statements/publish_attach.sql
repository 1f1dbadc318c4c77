-- name: statements/publish_attach
-- purpose: open the file that will be handed out, or look at the one that it would overwrite
-- parameters: path, alias, read_only
ATTACH {{ path | literal }} AS {{ alias | identifier }} ({% if read_only %}READ_ONLY{% else %}READ_WRITE{% endif %})
