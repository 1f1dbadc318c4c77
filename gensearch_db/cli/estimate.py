"""``gensearch estimate``: what a count query would give, from a release alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch estimate people.duckdb adult_release "SELECT COUNT(*) FROM adult WHERE age BETWEEN 37 AND 77 AND sex = 'Female'"

gensearch estimate people.duckdb adult_release "SELECT sex, COUNT(*) FROM adult GROUP BY sex" --show-sql

gensearch estimate people.duckdb adult_release --macro
"""


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    release: Annotated[str, typer.Argument(help="The release: its blocks table is all that is read.")],
    query: Annotated[str | None, typer.Argument(help="SELECT COUNT(*) FROM … WHERE …")] = None,
    show_sql: Annotated[bool, typer.Option("--show-sql", help="Print the statement; it runs in any DuckDB client.")] = False,
    macro: Annotated[bool, typer.Option("--macro", help="Print a table macro that estimates ranges and lists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")] = False,
) -> None:
    """Estimate a count query on a release, with its deviation and hard bounds."""
    from gensearch_db.cli.progress import waited
    from gensearch_db.count_queries import estimate, estimate_macro, estimate_sql
    from gensearch_db.count_queries.estimating import group_text
    from gensearch_db.count_queries.saving import aligned
    from gensearch_db.errors import SpecificationError

    if (query is None) is not macro:
        raise SpecificationError("give a query, or --macro for the macro of the release")
    if query is None:
        typer.echo(estimate_macro(database, release))
        return
    if show_sql:
        with waited("reading the release"):
            text = estimate_sql(database, release, query)
        typer.echo(text)
        return
    with waited("estimating"):
        answer = estimate(database, release, query)
    if as_json:
        typer.echo(json.dumps(answer.to_dict(), allow_nan=False, default=str))
        return
    lines = [[*answer.group_columns, "counted", "estimate", "±", "lower", "upper", "blocks"]]
    for one in answer.estimates:
        values = [group_text(value) for value in one.group]
        numbers = [f"{one.estimate:,.1f}", f"{one.deviation:,.1f}", f"{one.lower:,}", f"{one.upper:,}", f"{one.blocks:,}"]
        lines.append([*values, one.label, *numbers])
    typer.echo(aligned(lines))
