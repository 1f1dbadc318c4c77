"""Anonymize tables where they live, inside DuckDB, and find the optimal generalization, with a certificate."""
