"""One module per kind of quasi-identifier: from a specification and a column to leaf values."""
