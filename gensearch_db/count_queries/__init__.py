"""Count queries on releases: read, estimate, measure."""
