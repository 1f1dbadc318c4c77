"""The only room that talks to an engine: session, statements, cells, releases, audits, catalog."""
