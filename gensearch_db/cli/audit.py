"""``gensearch audit``: recompute what a release or any table guarantees, from the table as it is now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch audit people.duckdb adult_release

gensearch audit people.duckdb adult_release --source adult --json

gensearch audit people.duckdb adult_release --with older_release

gensearch audit other.duckdb published --quasi-identifier age --quasi-identifier sex --sensitive illness --k 5
"""


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    release: Annotated[str, typer.Argument(help="A release of this package, or any table with --quasi-identifier.")],
    source: Annotated[str | None, typer.Option(help="The table it was made from (default: as the catalog says).")] = None,
    quasi_identifier: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="For a foreign table.")] = None,
    sensitive: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="For a foreign table.")] = None,
    k: Annotated[int | None, typer.Option(help="The same as --subject-to 'k_anonymity(K)'.")] = None,
    subject_to: Annotated[list[str] | None, typer.Option(metavar="CONSTRAINT", help="What to require.")] = None,
    suppression_marker: Annotated[
        str | None, typer.Option(help="A row with this text in every quasi-identifier counts as suppressed.")
    ] = None,
    together_with: Annotated[
        str | None,
        typer.Option("--with", metavar="RELEASE", help="Warn of what both releases tell together about the same people."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
) -> None:
    """Check a release; the exit code tells whether it holds what was required."""
    from gensearch_db.cli.progress import waited
    from gensearch_db.database.audit import audit
    from gensearch_db.errors import AuditError

    with waited("auditing"):
        report = audit(
            database,
            release,
            against=source,
            quasi_identifiers=tuple(quasi_identifier or ()),
            sensitive=tuple(sensitive or ()),
            subject_to=(*(subject_to or ()), *((f"k_anonymity({k})",) if k is not None else ())),
            suppression_marker=suppression_marker,
            together_with=together_with,
        )
    typer.echo(json.dumps(report.to_dict(), allow_nan=False) if as_json else report.to_text())
    if not report.passed:
        raise typer.Exit(AuditError.exit_code)
