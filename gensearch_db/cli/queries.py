"""``gensearch queries``: generate workloads of count queries, and compare releases by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
[bold]Examples[/bold]

gensearch queries run people.duckdb adult_release mondrian_release --workload adult_paper --source adult

gensearch queries generate people.duckdb adult_release --queries 500 --predicates 2 --selectivity 0.05 > random.sql

gensearch queries run people.duckdb adult_release --workload random.sql --source adult --into errors --csv errors.csv
"""

application = typer.Typer(no_args_is_help=True, help="Count queries: generate workloads, compare releases by their errors.")


@application.command("run", epilog=EXAMPLES)
def run(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    releases: Annotated[list[str], typer.Argument(metavar="RELEASE…", help="The releases to compare.")],
    workload: Annotated[str, typer.Option(help="A .sql file of count queries, or a bundled workload: adult_paper, demo.")],
    source: Annotated[str | None, typer.Option(help="The table (or file) to take true counts from.")] = None,
    into: Annotated[str | None, typer.Option(metavar="TABLE", help="Keep the results as a new table.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the results as a CSV file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
) -> None:
    """Estimate every query on every release; with --source also the true counts and the errors."""
    from gensearch_db.cli.progress import waited
    from gensearch_db.count_queries import run_workload
    from gensearch_db.count_queries.saving import refuse_csv, refuse_taken, save_csv, save_table, to_json, to_text
    from gensearch_db.database.reported import reported

    if into is not None:
        refuse_taken(database, into)
    if csv is not None:
        refuse_csv(csv)
    with waited("estimating"):
        report = run_workload(database, releases, workload, source=source)
    with reported():
        if csv is not None:
            save_csv(report, csv)
        if into is not None:
            save_table(database, report, into)  # the last that can fail, so that a failure leaves the database as it was
        typer.echo(json.dumps(to_json(report), allow_nan=False) if as_json else to_text(report))


@application.command("generate", epilog=EXAMPLES)
def generate(
    database: Annotated[Path, typer.Argument(help="The DuckDB file.")],
    release: Annotated[str, typer.Argument(help="The release whose published values the queries speak of.")],
    queries: Annotated[int, typer.Option(help="How many queries.")] = 100,
    predicates: Annotated[
        list[int] | None, typer.Option(help="How many predicates a query may have (default: 1, 2, 3).")
    ] = None,
    selectivity: Annotated[float, typer.Option(help="The share of the space that a query covers.")] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same queries.")] = 0,
    table: Annotated[str | None, typer.Option(help="The table's name to write after FROM (default: the release's).")] = None,
) -> None:
    """Print a random workload."""
    from gensearch_db.cli.progress import waited
    from gensearch_db.count_queries import generate_workload

    with waited("drawing queries"):
        text = generate_workload(
            database, release, queries=queries, predicates=predicates, selectivity=selectivity, seed=seed, table=table
        )
    typer.echo(text, nl=False)
