"""``gensearch publish``: copy what may be handed out of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch publish people.duckdb adult_release --to handout.duckdb

gensearch publish people.duckdb adult_release visits_release --to "handout/*.parquet"
"""


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file that holds the releases.")],
    releases: Annotated[list[str], typer.Argument(metavar="RELEASE…", help="The releases to hand out.")],
    to: Annotated[str, typer.Option(metavar="TARGET", help="A file 'x.duckdb', or 'folder/*.parquet' or 'folder/*.csv'.")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing target.")] = False,
) -> None:
    """Copy releases and their blocks, nothing else, with a data dictionary and how the receiver checks them."""
    from gensearch_db.cli.progress import waited
    from gensearch_db.database.opening import session_for
    from gensearch_db.database.reported import reported
    from gensearch_db.printable import printable
    from gensearch_db.statements.publish import publish

    with reported(), session_for(database, read_only=True) as session:
        with waited("publishing"):
            published = publish(session, releases, to, replace=replace)
        for each in published:
            typer.echo(printable(f"{each.table}: {each.rows:,} rows in {each.file}"))
        for release, note in {each.release: each.note for each in published}.items():
            if note is not None:
                typer.echo(printable(f"gensearch: warning: {release}: {note}"), err=True)
