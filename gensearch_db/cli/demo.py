"""``gensearch demo``: the whole way on an embedded database."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer


def command(
    database: Annotated[
        Path | None, typer.Argument(help="A new DuckDB file to keep (default: a temporary one, removed afterwards).")
    ] = None,
) -> None:
    """Make a database of 50,000 made-up people, anonymize it and show what came out."""
    if database is not None:
        _show(database)
        typer.echo(f"\nThe database stays in {database}: try  gensearch audit {database} census_release")
        return
    with tempfile.TemporaryDirectory(prefix="gensearch_demo_") as folder:
        _show(Path(folder) / "demo.duckdb")


def _show(database: Path) -> None:
    import duckdb

    from gensearch_db.anonymization import anonymize
    from gensearch_db.cli.progress import watched
    from gensearch_db.database.rendering import statement
    from gensearch_db.demo import DEMO_PROBLEM, create_demo_database

    typer.echo("Making a census of 50,000 people …")
    create_demo_database(database)
    names = ", ".join(DEMO_PROBLEM.quasi_identifiers)
    typer.echo(f"Anonymizing {names} under {' and '.join(DEMO_PROBLEM.subject_to)} (at most {DEMO_PROBLEM.stop_after:.0f} s) …")
    with watched(release_on_interrupt=True) as progress:
        release = anonymize(database, DEMO_PROBLEM, progress=progress, release_on_interrupt=True)
    typer.echo(f"\nThe first rows of {release.name}:")
    with duckdb.connect(str(database), read_only=True) as connection:
        typer.echo(str(connection.sql(statement("demo_rows"))))
    typer.echo(release.to_text())
