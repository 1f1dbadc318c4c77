-- name: release/comment
-- purpose: the dictionary of a release, as the comment of its blocks table
-- parameters: release_blocks, dictionary (JSON)
COMMENT ON TABLE {{ release_blocks | qualified }} IS {{ dictionary | literal }}
