"""``gensearch releases``: what the catalog of a database holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch releases people.duckdb --json

gensearch releases people.duckdb --drop adult_release
"""


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    drop: Annotated[
        str | None, typer.Option(metavar="RELEASE", help="Drop this release, its blocks and its catalog row.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as one JSON list.")] = False,
) -> None:
    """List the releases in a database, or drop one."""
    from gensearch_db.database.catalog import drop_release, list_releases
    from gensearch_db.printable import printable

    if drop is not None:
        drop_release(database, drop)
        typer.echo(printable(f"dropped {drop}"))
        return
    found = list_releases(database)
    if as_json:
        typer.echo(json.dumps([entry.to_dict() for entry in found], allow_nan=False))
        return
    for entry in found:
        typer.echo(entry.to_text())
    if not found:
        typer.echo("no releases")
