"""What values of the data can do where they are shown: at a terminal, in a spreadsheet, in a notebook, in an audit's report."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import main
from gensearch_db.statements.output import Mode
from gensearch_db.statements.shell import Shell

ACTING = "\x1b[2J\x9b31m\r\u202e\x00"
"""Clears the screen, turns it red (in two ways), and hides and turns round what stands on the line."""
NAME = "town\x1b[2J\x9b"
WRITTEN_OUT = r"\x1b[2J\x9b31m\r\u202e\x00"


def acts(text: str) -> bool:
    return any(character in text for character in ACTING if not character.isascii() or not character.isprintable())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two groups of three, told apart by a value that acts, in a column whose name does."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE people ("town\x1b[2J\x9b" VARCHAR, illness VARCHAR)')
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(ACTING, ACTING), ("b", "flu")] * 3)
        connection.execute("CREATE TABLE levels AS SELECT 'b' AS value, 'all' AS level")
        gensearch_db.anonymize(
            connection,
            "people",
            into="r",
            quasi_identifiers={NAME: {"unordered": True}},
            sensitive=["illness"],
            k=3,
            options={"all_optimal": True},
        )
    return path


TAXONOMY = 'ANONYMIZE TABLE people INTO s QUASI IDENTIFIERS ("town\x1b[2J\x9b" TAXONOMY levels) SUBJECT TO k_anonymity(2)'
COUNT = 'SELECT "town\x1b[2J\x9b", COUNT(*) FROM people GROUP BY ALL'


@pytest.mark.parametrize(
    "arguments",
    [
        ["sql", "-c", "FROM r"],
        ["sql", "-c", "FROM r, r AS s, r AS t, r AS u, r AS v"],
        ["sql", "--json", "-c", "FROM r"],
        ["sql", "-c", "PROFILE people"],
        ["sql", "-c", TAXONOMY],
        ["sql", "-c", "SELECT illness::INTEGER FROM people"],
        ["estimate", "r", COUNT],
        ["audit", "r", "--quasi-identifier", "illness", "--sensitive", NAME],
        ["anonymize", "--table", "people", "--into", "s", "--keep", NAME, "--quasi-identifier", "illness", "--k", "3"],
    ],
)
def test_values_do_nothing_at_a_terminal(file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    command, *rest = arguments
    with suppress(SystemExit):
        main([command, str(file), *rest])
    printed = "".join(capsys.readouterr())
    assert printed
    assert not acts(printed.replace("\n", ""))


def test_what_a_terminal_would_obey_is_written_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", str(file), "-c", "SELECT illness FROM r"])
    assert WRITTEN_OUT in capsys.readouterr().out
    main(["sql", str(file), "--json", "-c", "SELECT DISTINCT illness FROM r ORDER BY illness"])
    assert json.loads(capsys.readouterr().out) == [{"illness": ACTING}, {"illness": "flu"}]
    main(["sql", str(file), "--csv", "-c", "SELECT DISTINCT illness FROM r ORDER BY illness"])
    assert ACTING in capsys.readouterr().out


def test_values_do_nothing_in_errors_and_texts_of_the_api(file: Path) -> None:
    with gensearch_db.connect(file) as connection:
        with pytest.raises(gensearch_db.GensearchError) as caught:
            connection.execute(TAXONOMY)
        assert WRITTEN_OUT in str(caught.value)
        assert not acts(str(caught.value).replace("\n", ""))
        stream = io.StringIO()
        Shell(connection, Mode.TABLE, stream).respond(TAXONOMY)
        assert not acts(stream.getvalue().replace("\n", ""))


FORMULAS = ["=cmd|'/c calc'!A1", "@SUM(1)", "+1-1", "-a", "\t=1", "\r=1"]
HARMLESS = ["-1", "+1.5e3", "a=b", "", "[-5, 0)", "a\r\nb", '"q",', "\ufeffz"]


def published(folder: Path, values: list[str], target: str, name: str = "v") -> list[tuple[Any, ...]]:
    """The answer of PUBLISH for a release with three rows of each value."""
    with gensearch_db.connect() as connection:
        connection.execute(f'CREATE TABLE people ("{name}" VARCHAR, n INTEGER)')
        connection.engine.executemany("INSERT INTO people VALUES (?, ?)", [(value, -7) for value in values] * 3)
        columns = f'QUASI IDENTIFIERS ("{name}" UNORDERED, n SPLIT EVERY 5)'
        connection.execute(f"ANONYMIZE TABLE people INTO r {columns} SUBJECT TO k_anonymity(3) WITH TYPED COLUMNS").fetchall()
        return connection.execute(f"PUBLISH r TO '{folder / target}'").fetchall()


def test_formulas_are_handed_out_as_they_are_and_the_owner_is_told(tmp_path: Path) -> None:
    answer = published(tmp_path, FORMULAS + HARMLESS, "csv/*.csv")
    assert {row[0] for row in answer} == {"r"}
    assert all("spreadsheets take the names or values of v for formulas" in row[4] for row in answer)
    with (tmp_path / "csv" / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert sorted(row[0] for row in rows[1:]) == sorted((FORMULAS + HARMLESS) * 3)
    assert "read all columns as text" in json.loads((tmp_path / "csv" / "dictionary.json").read_text())["csv"]["spreadsheets"]


@pytest.mark.parametrize("value", FORMULAS)
def test_each_kind_of_formula_is_told(tmp_path: Path, value: str) -> None:
    assert "values of v for formulas" in published(tmp_path, [value, "b"], "csv/*.csv")[0][4]


def test_a_name_may_be_a_formula_too(tmp_path: Path) -> None:
    assert "values of =1+1, =1+1_values for formulas" in published(tmp_path, HARMLESS, "csv/*.csv", name="=1+1")[0][4]


def test_numbers_are_no_formulas_and_other_files_have_none(tmp_path: Path) -> None:
    assert [row[4] for row in published(tmp_path, HARMLESS, "csv/*.csv")] == [None, None]
    assert [row[4] for row in published(tmp_path, FORMULAS, "parquet/*.parquet")] == [None, None]
    assert [row[4] for row in published(tmp_path, FORMULAS, "out.duckdb")] == [None, None]


def test_columns_of_numbers_are_no_formulas_and_of_other_types_may_be(tmp_path: Path) -> None:
    with gensearch_db.connect() as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT -1 AS whole, -1::HUGEINT AS huge, -1.5::DECIMAL(3, 1) AS exact,"
            " '-inf'::DOUBLE AS infinite, INTERVAL '-1 days' AS stay, {'a': -1} AS pair FROM range(3)"
        )
        columns = "QUASI IDENTIFIERS (whole) KEEP (huge, exact, infinite, stay, pair)"
        connection.execute(f"ANONYMIZE TABLE people INTO r {columns} SUBJECT TO k_anonymity(3)").fetchall()
        answer = connection.execute(f"PUBLISH r TO '{tmp_path / 'csv' / '*.csv'}'").fetchall()
    assert {row[4].partition(" (they begin")[0] for row in answer} == {
        "spreadsheets take the names or values of stay for formulas"
    }


def test_labels_are_text_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "gensearch_db")
    value = "<script>alert(1)</script>"
    frame = shell.run_cell_magic("gensearch", "", f"SELECT '{value}' AS \"{value}\"")
    assert frame.iloc[0, 0] == value
    assert "<script" not in frame._repr_html_()


def test_an_audit_names_no_value_that_its_taxonomy_lost(connection: duckdb.DuckDBPyConnection) -> None:
    """Only a suppressed person has it; the report is what shows to others that a release holds what was required."""
    connection.execute("CREATE TABLE levels AS FROM (VALUES ('flu', 'a'), ('cold', 'a'), ('SECRET', 'b')) t(value, level)")
    connection.execute(
        "CREATE TABLE people AS SELECT 'x' AS town, ['flu', 'cold'][1 + i % 2] AS illness FROM range(30) r(i)"
        " UNION ALL SELECT 'z', 'SECRET'"
    )
    release = gensearch_db.anonymize(
        connection,
        "people",
        into="r",
        quasi_identifiers={"town": {"unordered": True}},
        sensitive={"illness": {"taxonomy": "levels"}},
        subject_to=["k_anonymity(5)", "t_closeness(0.9, illness, distance = hierarchical)"],
        suppress_at_most=10,
        strategy="enumeration",
    )
    assert release.rows_suppressed == 1
    connection.execute("DELETE FROM levels WHERE value = 'SECRET'")
    report = gensearch_db.audit(connection, "r")
    assert "its declared order or taxonomy does not fit" in report.check("t_closeness").message
    assert "SECRET" not in report.to_text() + json.dumps(report.to_dict())
