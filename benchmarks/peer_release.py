"""One release of Adult by another tool, in a process and an environment of its own: the work behind ``peers.py``.

    python benchmarks/peer_release.py anonypy|anonypyx|anjana K SOURCE.parquet HIERARCHIES DATABASE

Imports nothing of this project. The tool's labels become typed columns (what a label stands for), so that ``utility.py`` can
measure them as it measures ours.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd

CATEGORIES = ["sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
COLUMNS = ["age", *CATEGORIES]
MOST_SUPPRESSED = 5
"""Percent of the rows that anjana may drop: its full-domain generalization ends at stars otherwise."""


def anonypy(rows: pd.DataFrame, k: int) -> pd.DataFrame:
    """Mondrian of anonypy; one row per class and sensitive value, with a count."""
    import anonypy as tool

    for name in CATEGORIES:
        rows[name] = rows[name].astype("category")
    lines = tool.Preserver(rows, COLUMNS, "income").anonymize_k_anonymity(k)
    # Each label comes as a list of one text.
    return pd.DataFrame(
        [{name: label[0] if isinstance(label, list) else label for name, label in line.items()} for line in lines]
    )


def anonypyx(rows: pd.DataFrame, k: int) -> pd.DataFrame:
    """Mondrian of anonypyx, in its readable form."""
    import anonypyx as tool

    for name in CATEGORIES:
        rows[name] = rows[name].astype("category")
    anonymiser = tool.Anonymiser(
        rows,
        k=k,
        algorithm="Mondrian",
        feature_columns=COLUMNS,
        sensitive_column="income",
        generalisation_strategy="human-readable",
    )
    return anonymiser.anonymise()


def levels(folder: Path, name: str) -> list[tuple[str, ...]]:
    """A hierarchy's rows: the leaf and its levels."""
    with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file, delimiter=";")]


def anjana(rows: pd.DataFrame, k: int, folder: Path) -> pd.DataFrame:
    """Full-domain generalization of anjana."""
    from anjana.anonymity import k_anonymity

    rows["age"] = rows["age"].astype(str)
    hierarchies = {name: dict(enumerate(map(list, zip(*levels(folder, name), strict=True)))) for name in COLUMNS}
    return k_anonymity(rows, [], COLUMNS, k, MOST_SUPPRESSED, hierarchies)


def listed(label: str) -> list[str]:
    """The values of a label of anonypy and anonypyx."""
    return label.split(",")


def ages(label: str) -> tuple[int, int]:
    """The half-open interval of ``17-23`` or ``40``."""
    ends = [int(part) for part in label.split("-")]
    return ends[0], ends[-1] + 1


def below(folder: Path, name: str) -> Callable[[str], list[str]]:
    """What a hierarchy's label stands for."""
    leaves: dict[str, set[str]] = {}
    for row in levels(folder, name):
        for label in row:
            leaves.setdefault(label, set()).add(row[0])
    return lambda label: sorted(leaves[label])


def typed(release: pd.DataFrame, tool: str, folder: Path) -> pd.DataFrame:
    """The columns that the yardstick reads, and the number of rows each line stands for."""
    columns: dict[str, list[object]] = {}
    for name in CATEGORIES:
        values = below(folder, name) if tool == "anjana" else listed
        columns[f"{name}_values"] = [values(label) for label in release[name]]
    if tool == "anjana":
        within = below(folder, "age")
        spans = [(min(map(int, within(label))), max(map(int, within(label))) + 1) for label in release["age"]]
    else:
        spans = [ages(str(label)) for label in release["age"]]
    columns["age_lower"], columns["age_upper"] = [span[0] for span in spans], [span[1] for span in spans]
    columns["rows"] = list(release["count"]) if "count" in release else [1] * len(release)
    return pd.DataFrame(columns)


def main() -> None:
    tool, k, source, folder, database = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), sys.argv[5]
    names = ", ".join(f'"{name}"' for name in [*COLUMNS, "income"])
    rows = duckdb.sql(f"SELECT {names} FROM '{source}'").df()
    release = anjana(rows, k, folder) if tool == "anjana" else {"anonypy": anonypy, "anonypyx": anonypyx}[tool](rows, k)
    if len(release) == 0:
        sys.exit(f"{tool} found no release")
    lines = typed(release, tool, folder)
    with duckdb.connect(database) as connection:
        connection.register("lines", lines)
        connection.execute(
            "CREATE TABLE release AS SELECT * EXCLUDE (rows, line) FROM (SELECT *, unnest(range(rows)) AS line FROM lines)"
        )


if __name__ == "__main__":
    main()
