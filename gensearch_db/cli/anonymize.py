"""``gensearch anonymize``: from a table to an audited release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch anonymize people.duckdb --problem adult.toml --json

gensearch anonymize people.duckdb --table adult --into adult_release --quasi-identifier "age: every 5"
--quasi-identifier sex --sensitive income --k 10

gensearch anonymize out.duckdb --table visits.parquet --into visits_release --quasi-identifier "zip: prefix"
--subject-to "k_anonymity(5)" --minimize discernibility --stop-after "5 minutes"
"""

Names = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Repeat for more columns.")]


def command(
    database: Annotated[Path, typer.Argument(help="The DuckDB file that the release is written into.")],
    problem: Annotated[Path | None, typer.Option(help="A TOML file with the problem; flags override its fields.")] = None,
    table: Annotated[str | None, typer.Option(help="A table or view, or a Parquet or CSV file.")] = None,
    into: Annotated[str | None, typer.Option(help="The name of the release.")] = None,
    quasi_identifier: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[: HOW]", help="For example 'age: every 5' or 'zip: prefix'. Repeat for more columns."),
    ] = None,
    identifier: Names = None,
    person: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that tells persons apart.")] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[: HOW]", help="For example income, 'diagnosis: taxonomy icd' or 'stage: order I, II'. Repeatable."
        ),
    ] = None,
    keep: Names = None,
    k: Annotated[int | None, typer.Option(help="The same as --subject-to 'k_anonymity(K)'.")] = None,
    subject_to: Annotated[list[str] | None, typer.Option(metavar="CONSTRAINT", help="Repeat for more constraints.")] = None,
    minimize: Annotated[str | None, typer.Option(metavar="COST", help="For example ncp (default) or discernibility.")] = None,
    suppress_at_most: Annotated[float | None, typer.Option(metavar="PERCENT", help="Percent of the rows.")] = None,
    strategy: Annotated[
        str | None, typer.Option(help="block_graph (default), mondrian, mondrian_steepest, enumeration.")
    ] = None,
    stop_after: Annotated[str | None, typer.Option(metavar="DURATION", help="For example '1 minute' (default).")] = None,
    stop_within: Annotated[float | None, typer.Option(metavar="FACTOR", help="Accept cost <= FACTOR * lower bound.")] = None,
    node_limit: Annotated[int | None, typer.Option(help="Stop after so many blocks (reproducible).")] = None,
    memory_limit: Annotated[int | None, typer.Option(metavar="MEGABYTES", help="Memory of the search.")] = None,
    threads: Annotated[int | None, typer.Option(help="At most so many threads, of DuckDB and the search.")] = None,
    labels: Annotated[str | None, typer.Option(help="region (default) or values, which minimum_length refuses.")] = None,
    statistics: Annotated[str | None, typer.Option(help="auto (default), sql or memory.")] = None,
    typed_columns: Annotated[bool | None, typer.Option("--typed-columns", help="Add bounds and value lists.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing release of this name.")] = False,
    release_on_interrupt: Annotated[
        bool, typer.Option("--release-on-interrupt", help="After Ctrl-C, release the best partition so far.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Find the best generalization of a table and write it, audited, beside the table."""
    given = {
        "table": table,
        "into": into,
        "quasi_identifiers": quasi_identifier,
        "identifiers": identifier,
        "person": person,
        "sensitive": sensitive,
        "keep": keep,
        "k": k,
        "subject_to": subject_to,
        "minimize": minimize,
        "suppress_at_most": suppress_at_most,
        "strategy": strategy,
        "stop_after": stop_after,
        "stop_within": stop_within,
        "node_limit": node_limit,
        "memory_limit": memory_limit,
        "threads": threads,
        "labels": labels,
        "statistics": statistics,
        "typed_columns": typed_columns,
    }
    run(
        database,
        problem,
        {name: value for name, value in given.items() if value not in (None, [])},
        replace=replace,
        release_on_interrupt=release_on_interrupt,
        as_json=as_json,
    )


def run(
    database: Path,
    problem_file: Path | None,
    fields: dict[str, Any],
    *,
    replace: bool,
    release_on_interrupt: bool,
    as_json: bool,
) -> None:
    """Carry out the command and print its outcome. Raises :class:`GensearchError`."""
    from gensearch_db.anonymization import anonymize, problem_from_fields
    from gensearch_db.cli.progress import watched
    from gensearch_db.database.reported import reported
    from gensearch_db.problem.problem import Problem

    base = Problem.fields_from_toml(problem_file) if problem_file is not None else {}
    problem = problem_from_fields({**base, **fields})
    with watched(release_on_interrupt=release_on_interrupt) as progress, reported():
        release = anonymize(database, problem, replace=replace, progress=progress, release_on_interrupt=release_on_interrupt)
        progress.close()
        typer.echo(json.dumps(release.to_dict(), allow_nan=False) if as_json else release.to_text())
