"""``gensearch sql``: statements from the command line, a file or a prompt."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch sql people.duckdb

gensearch sql people.duckdb -c "PROFILE adult" -c "SHOW RELEASES" --json

gensearch sql people.duckdb -f anonymize.sql
"""


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    statements: Annotated[list[str] | None, typer.Option("-c", "--command", help="A script to run. Repeat for more.")] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", help="A file with a script to run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each result as one JSON array.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print results as CSV.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Open the database for reading only.")] = False,
) -> None:
    """Run SQL with ANONYMIZE, AUDIT, ESTIMATE, PROFILE and all of DuckDB; without -c and -f, ask for statements."""
    from gensearch_db.cli.progress import waited, watched
    from gensearch_db.database.opening import made_in_vain
    from gensearch_db.database.session import Session
    from gensearch_db.errors import SpecificationError, reason
    from gensearch_db.statements.connection import connect
    from gensearch_db.statements.output import Mode
    from gensearch_db.statements.shell import Shell

    if as_json and as_csv:
        raise SpecificationError("choose one of --json and --csv")
    scripts = list(statements or ())
    if file is not None:
        try:
            scripts.append(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SpecificationError(f"script '{file}' cannot be read: {reason(error)}") from error
    if not scripts and not sys.stdin.isatty():
        scripts.append(sys.stdin.read())
    is_new = not database.exists() and str(database) != ":memory:"
    mode = Mode.JSON if as_json else Mode.CSV if as_csv else Mode.TABLE
    with connect(database, read_only=read_only) as connection:
        shell = Shell(connection, mode, watch=watched, wait=waited)
        if not scripts:
            shell.interact(f"'{database}' is a new database.\n" if is_new else "")
            return
        with made_in_vain(Session(connection.engine), database) if is_new else nullcontext():
            shell.run(*scripts)
