"""Saving the results of a workload: Ctrl-C after the commit hides nothing, and what cannot be kept leaves no table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from gensearch_db.cli.main import main
from gensearch_db.count_queries import run_workload
from gensearch_db.count_queries.saving import save_table
from tests.count_queries.fixtures import categorical, make_release
from tests.faults.test_ctrl_c_after_commit import attempt, default_handler

__all__ = ["default_handler"]
"""A fixture."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        make_release(connection, "coarse", [categorical("sex")], [{"sex": ["F", "M"], "count": 100}])
    return path


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "workload.sql"
    path.write_text("SELECT COUNT(*) FROM people WHERE sex = 'F';", encoding="utf-8")
    return path


def tables(path: Path) -> set[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_is_told_exactly_where_nothing_was_saved(file: Path, workload: Path) -> None:
    report = run_workload(file, ["coarse"], workload)

    def save(path: Path, fields: dict[str, Any]) -> None:
        save_table(path, report, fields["into"])

    lines, told = attempt(save, file, {"into": "t0"}, None)
    assert not told
    first_times = sorted({line: place for place, line in reversed(list(enumerate(lines, start=1)))}.values())
    outcomes = set()
    for number in first_times:
        _, told = attempt(save, file, {"into": f"t{number}"}, number)
        assert (f"t{number}" in tables(file)) is not told, f"{lines[number - 1]}: {told=}"
        outcomes.add(told)
    assert outcomes == {True, False}, "all signals came on one side of the commit"


def test_a_file_that_cannot_be_written_leaves_no_table(file: Path, workload: Path, tmp_path: Path) -> None:
    before = tables(file)
    arguments = ["queries", "run", str(file), "coarse", "--workload", str(workload), "--into", "kept"]
    with pytest.raises(SystemExit):
        main([*arguments, "--csv", str(tmp_path / "absent" / "x.csv")])
    assert tables(file) == before
    main([*arguments, "--csv", str(tmp_path / "x.csv")])
    assert tables(file) == before | {"kept"}


def test_a_name_that_is_taken_is_refused_before_anything_is_written(
    file: Path, workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE VIEW kept AS SELECT 1 AS one")
    csv = tmp_path / "x.csv"
    csv.write_text("older results")
    with pytest.raises(SystemExit):
        main(["queries", "run", str(file), "coarse", "--workload", str(workload), "--into", "KEPT", "--csv", str(csv)])
    assert capsys.readouterr().err == "gensearch: error: view 'kept' exists already: choose another name for the results\n"
    assert csv.read_text() == "older results"
