"""The space: attributes, taxonomies, split sets, blocks, partition trees. Pure, knows no database."""
