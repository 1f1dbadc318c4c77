"""One module per privacy constraint: its test, its bound on group size, its audit."""
