"""What the commands print and how they end, on databases where everything is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from gensearch_db.cli.main import main

SETUP = """
CREATE TABLE people AS
SELECT i AS id, 20 + (i * 7) % 40 AS age, ['02134', '02139', '00501'][1 + i % 3] AS zip, 'd' || (i * 13) % 4 AS diagnosis
FROM range(120) numbers(i);
"""
FLAGS = [
    "--table", "people", "--into", "rel", "--identifier", "id", "--quasi-identifier", "age: every 10",
    "--quasi-identifier", "zip: prefix", "--sensitive", "diagnosis", "--k", "5",
]  # fmt: skip


@pytest.fixture
def people(database: Path) -> Path:
    with duckdb.connect(str(database)) as connection:
        connection.execute(SETUP)
    return database


def ended(arguments: list[str]) -> int:
    """The exit code of a command."""
    try:
        main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def test_json_is_exactly_one_object(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["anonymize", str(people), *FLAGS, "--json"]) == 0
    captured = capsys.readouterr()
    values = json.loads(captured.out)
    wanted = "status cost lower_bound approximation_factor gap blocks rows_released rows_suppressed seconds counters"
    assert set(wanted.split()) <= set(values)
    with duckdb.connect(str(people)) as connection:
        blocks = connection.execute("SELECT count(*) FROM (SELECT 1 FROM rel GROUP BY age, zip)").fetchone()
        assert blocks == (values["blocks"],)
        assert connection.execute("SELECT count(*) FROM rel").fetchone() == (values["rows_released"],)


def test_a_problem_file_and_the_flags_are_the_same_request(people: Path, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(
        'table = "people"\ninto = "by_file"\nidentifiers = ["id"]\nsensitive = ["diagnosis"]\nsubject_to = ["k_anonymity(5)"]\n'
        '[quasi_identifiers]\nage = { split = "every 10" }\nzip = { prefix = true }\n'
    )
    assert ended(["anonymize", str(people), *FLAGS]) == 0
    assert ended(["anonymize", str(people), "--problem", str(file)]) == 0
    assert ended(["anonymize", str(people), "--problem", str(file), "--into", "by_both"]) == 0
    with duckdb.connect(str(people)) as connection:
        rows = [connection.execute(f"FROM {table}").fetchall() for table in ("rel", "by_file", "by_both")]
    assert rows[0] == rows[1] == rows[2]


def test_the_exit_code_of_an_audit_tells_its_verdict(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended(["anonymize", str(people), *FLAGS])
    capsys.readouterr()
    assert ended(["audit", str(people), "rel"]) == 0
    assert "PASSED" in capsys.readouterr().out
    assert ended(["audit", str(people), "rel", "--k", "100000", "--json"]) == 9
    report = json.loads(capsys.readouterr().out)
    assert report["passed"] is False
    foreign = ["audit", str(people), "people", "--quasi-identifier", "zip", "--sensitive", "diagnosis", "--k", "40"]
    assert ended(foreign) == 0
    assert ended(["audit", str(people), "rel", "--source", "people"]) == 0


def test_releases_are_listed_and_dropped(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["releases", str(people)]) == 0
    assert capsys.readouterr().out == "no releases\n"
    ended(["anonymize", str(people), *FLAGS])
    capsys.readouterr()
    assert ended(["releases", str(people), "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["release"], entry["problem"]["table"]) == ("rel", "people")
    assert ended(["releases", str(people), "--drop", "rel"]) == 0
    assert capsys.readouterr().out == "dropped rel\n"
    with duckdb.connect(str(people)) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'").fetchall()
    assert tables == [("people",)]


def test_a_name_that_rearranges_text_is_written_out(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = '"red\x1b[31m\u202ename"'
    assert ended(["anonymize", str(people), *FLAGS, "--into", name]) == 0
    assert ended(["releases", str(people), "--drop", name]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith('dropped "red\\x1b[31m\\u202ename"\n')
    assert "\x1b" not in printed


def test_replace_is_needed_the_second_time(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["anonymize", str(people), *FLAGS]) == 0
    assert ended(["anonymize", str(people), *FLAGS]) == 2
    assert "exists already" in capsys.readouterr().err
    assert ended(["anonymize", str(people), *FLAGS, "--replace"]) == 0


def test_help_shows_examples_and_wrong_flags_are_one_message(capfd: pytest.CaptureFixture[str]) -> None:
    for command in (["anonymize"], ["audit"], ["releases"], ["sql"], ["publish"], ["estimate"], ["queries", "run"]):
        assert ended([*command, "--help"]) == 0
        assert "Examples" in capfd.readouterr().out, command
    assert ended(["anonymize"]) == 2
    assert ended(["anonymize", "x.duckdb", "--no-such-flag"]) == 2
    assert "Traceback" not in capfd.readouterr().err


def test_help_says_what_each_argument_is(capfd: pytest.CaptureFixture[str]) -> None:
    for command in (["anonymize"], ["audit"], ["releases"], ["sql"], ["publish"], ["estimate"], ["queries", "run"], ["demo"]):
        assert ended([*command, "--help"]) == 0
        assert "DuckDB file" in capfd.readouterr().out, command


def test_the_commands_start_without_the_heavy_libraries() -> None:
    program = (
        "import sys, gensearch_db.cli.main;"
        "print([name for name in ('duckdb', 'numba', 'pandas', 'pyarrow', 'numpy') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["publish", "--help"], "RELEASE"),
        (["sql", "p.duckdb", "-c", "SELECT 'naïve ☃' AS x"], "na\\xefve \\u2603"),
        (["sql", "p.duckdb", "-c", "SELECT 'naïve ☃' AS x", "--csv"], "na\\xefve \\u2603"),
        (["sql", "p.duckdb", "-c", "SELECT 'naïve ☃' AS x", "--json"], '[{"x": "na\\u00efve \\u2603"}]'),
        (["audit", "p.duckdb", "ä"], "\\xe4"),
    ],
)
def test_a_terminal_that_lacks_characters_gets_escapes(tmp_path: Path, arguments: list[str], shown: str) -> None:
    with duckdb.connect(str(tmp_path / "p.duckdb")):
        pass
    ended = subprocess.run(
        [sys.executable, "-m", "gensearch_db.cli.main", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
    )
    assert shown in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
