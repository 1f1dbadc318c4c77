"""The shell: output modes, dot commands, completion, and the command line."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from gensearch_db.errors import QueryError
from gensearch_db.statements.completion import StatementCompleter
from gensearch_db.statements.connection import Connection, connect
from gensearch_db.statements.output import Mode, write_result
from gensearch_db.statements.shell import Shell
from tests.statements.conftest import PEOPLE


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_each_statement_prints_its_rows(people: Connection, stream: io.StringIO) -> None:
    script = (
        "CREATE TABLE u (a INTEGER); INSERT INTO u VALUES (1), (2); SELECT a FROM u ORDER BY a; SHOW RELEASES; SELECT ';' AS b"
    )
    Shell(people, Mode.JSON, stream).run(script)
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [[{"a": 1}, {"a": 2}], [], [{"b": ";"}]]


def test_scripts_are_read_before_any_runs(people: Connection, stream: io.StringIO) -> None:
    shell = Shell(people, Mode.JSON, stream)
    for wrong in ("SELCT 1", "AUDIT ,"):
        with pytest.raises(QueryError):
            shell.run("CREATE TABLE u (a INTEGER)", wrong)
        assert people.execute("SHOW TABLES").fetchall() == [("people",)]


def test_values_as_json_csv_and_table(stream: io.StringIO) -> None:
    columns = ["a", "a", "b"]
    rows = [(None, "", Decimal("1.50")), (float("nan"), 'x "y", z', [1, None]), (True, " s", {"k": float("inf")})]
    write_result(columns, rows, Mode.JSON, stream)
    assert json.loads(stream.getvalue()) == [
        {"a": None, "a_2": "", "b": "1.50"},
        {"a": None, "a_2": 'x "y", z', "b": [1, None]},
        {"a": True, "a_2": " s", "b": {"k": "inf"}},
    ]
    as_csv = io.StringIO()
    write_result(["a", "b"], [(None, ""), ('x "y", z', 1), ("two\nlines", True)], Mode.CSV, as_csv)
    assert as_csv.getvalue() == 'a,b\n,""\n"x ""y"", z",1\n"two\nlines",true\n'
    table = io.StringIO()
    write_result(["a", "[red]b"], [(None, "[bold]")] * 300, Mode.TABLE, table, width=80)
    assert "[red]b" in table.getvalue()
    assert "[bold]" in table.getvalue()
    assert "300 rows, the first 200 shown" in table.getvalue()


def test_what_is_too_wide_for_a_table_is_printed_value_by_value(stream: io.StringIO) -> None:
    columns = [f"a_long_column_name_{i}" for i in range(9)]
    write_result(columns, [[f"value_{i}" for i in range(8)] + ["two\nlines"]], Mode.TABLE, stream, width=80)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "-- 1 --"
    assert lines[1] == "a_long_column_name_0  value_0"
    assert lines[-3:] == ["a_long_column_name_8  two", "                      lines", "1 row"]


def test_a_person_sees_errors_and_goes_on(people: Connection, stream: io.StringIO) -> None:
    shell = Shell(people, Mode.CSV, stream)
    assert shell.respond("SELCT 1;")
    assert shell.respond("AUDIT nothing;")
    assert shell.respond(".nonsense")
    assert shell.respond("SELECT 7 AS seven;")
    said = stream.getvalue()
    assert "syntax error" in said
    assert "'nothing'" in said
    assert "'.nonsense' is no command" in said
    assert said.endswith("seven\n7\n")


def test_dot_commands(people: Connection, stream: io.StringIO) -> None:
    shell = Shell(people, Mode.TABLE, stream)
    assert shell.command(".mode csv")
    assert shell.mode is Mode.CSV
    assert shell.command(".tables")
    assert shell.command(".columns people;")
    assert shell.command(".help ANONYMIZE")
    assert shell.command(".help")
    assert not shell.command(".quit")
    said = stream.getvalue()
    assert "people,table" in said
    assert "diagnosis,VARCHAR" in said
    assert "SUBJECT TO constraint AND constraint" in said


def test_completion(people: Connection) -> None:
    people.execute('CREATE TABLE "odd name" (agent INTEGER)').fetchall()
    completer = StatementCompleter(people)

    def complete(text: str) -> list[str]:
        return [each.text for each in completer.get_completions(Document(text), CompleteEvent())]

    assert complete("SELECT ag") == ["age", "agent", "AGAINST"]
    assert complete("anonym") == ["ANONYMIZE"]
    assert complete("FROM od") == ['"odd name"', "OF"][:1]
    assert complete("FROM peo") == ["people"]
    assert complete(".he") == [".help"]
    assert "QUASI IDENTIFIERS" in complete(".help q")
    assert complete(".mode c") == ["csv"]
    assert complete("") == []
    assert complete("SELECT 1 ") == []


def command(*arguments: str, text: str | None = None, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gensearch_db.cli.main", "sql", *arguments],
        input=text if text is not None else "",
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "make.sql").write_text(PEOPLE, encoding="utf-8")
    assert command("p.duckdb", "-f", "make.sql", cwd=tmp_path).returncode == 0
    found = command("p.duckdb", "-c", "SELECT count(*) AS n FROM people", "-c", "SHOW RELEASES", "--json", cwd=tmp_path)
    assert found.stdout == '[{"n": 400}]\n[]\n'
    piped = command("p.duckdb", "--csv", text="SELECT 1 AS a, NULL AS b;", cwd=tmp_path)
    assert piped.stdout == "a,b\n1,\n"
    wrong = command("p.duckdb", "-c", "AUDIT\n  r AGAINSTT people", cwd=tmp_path)
    assert wrong.returncode == QueryError.exit_code
    assert "line 2, column 5" in wrong.stderr
    assert "did you mean 'AGAINST'" in wrong.stderr
    assert wrong.stderr.endswith("    r AGAINSTT people\n      ^^^^^^^^\n")
    assert command("p.duckdb", "-f", "absent.sql", cwd=tmp_path).returncode == 2


def test_csv_says_everything_as_duckdb_does() -> None:
    stream = io.StringIO()
    shell = Shell(connect(), Mode.CSV, stream)
    shell.run(
        "SELECT 'NaN'::DOUBLE AS f, '12345678901234567890.1234567890'::DECIMAL(38, 10) AS d, 'a\"'::BLOB AS b,"
        " INTERVAL 90000 SECOND AS i; SELECT 1 AS a"
    )
    assert stream.getvalue() == "f,d,b,i\nnan,12345678901234567890.1234567890,a\\x22,25:00:00\n\na\n1\n"


def test_csv_has_no_empty_line_but_that_between_two_results() -> None:
    """2026-11-28: a NULL alone in its row was one."""
    stream = io.StringIO()
    Shell(connect(), Mode.CSV, stream).run("SELECT unnest(['x', NULL, '', 'y']) AS a; SELECT NULL AS b, NULL AS c")
    first, second = stream.getvalue().split("\n\n")
    assert list(csv.reader(first.splitlines())) == [["a"], ["x"], [""], [""], ["y"]]
    assert second == "b,c\n,\n"


def test_json_loses_nothing(stream: io.StringIO) -> None:
    sums = "SELECT '12345678901234567890.1234567890'::DECIMAL(38, 10) AS d, 2::DECIMAL(5, 2) AS e, sum(9007199254740993) AS h"
    spans = (
        "SELECT INTERVAL 1 MONTH AS a, [INTERVAL '1 year 2 days'] AS a, {'x \"y': INTERVAL 25 HOUR, 'b': 1} AS s,"
        " MAP([INTERVAL 30 DAY], [1]) AS m, [INTERVAL 1 MONTH]::INTERVAL[1] AS v, t.i FROM range(2) AS t(i) ORDER BY i DESC"
    )
    Shell(connect(), Mode.JSON, stream).run(sums, spans)
    (numbers,), rows = (json.loads(line) for line in stream.getvalue().splitlines())
    assert numbers == {"d": "12345678901234567890.1234567890", "e": "2.00", "h": 9007199254740993}
    spans_shown = {
        "a": "1 month",
        "a_2": ["1 year 2 days"],
        "s": {'x "y': "25:00:00", "b": 1},
        "m": {"30 days": 1},
        "v": ["1 month"],
    }
    assert rows == [{**spans_shown, "i": 1}, {**spans_shown, "i": 0}]


@pytest.mark.parametrize(
    "value",
    [
        "DATE 'infinity'",
        "'-infinity'::TIMESTAMP",
        "DATE '2024-02-29'",
        "DATE '0044-03-15 (BC)'",
        "DATE '12024-01-01'",
        "TIMESTAMP '2024-01-01 10:00:00.5'",
        "TIMESTAMP_NS '2024-01-01 00:00:00.123456789'",
        "TIMESTAMP_S '2024-01-01 00:00:01'",
        "TIMESTAMPTZ '2024-01-01 00:00:00+05:30'",
        "TIME '23:59:59.000001'",
        "TIME_NS '23:59:59.123456789'",
        "TIMETZ '10:00:00+02'",
    ],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_dates_and_times_are_those_that_duckdb_prints(stream: io.StringIO, value: str, mode: Mode) -> None:
    """Found 2026-11-28: an infinite date was printed as 9999-12-31, nanoseconds were cut off."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        ((text,),) = connection.execute(f"SELECT ({value})::VARCHAR").fetchall()
    shell = Shell(connect(), mode, stream)
    columns = (f"{value} AS plain", f"[{value}] AS list", f"{{'s': {value}}} AS struct")
    selects = [f"SELECT {each}" for each in (columns if mode is Mode.TABLE else [", ".join(columns)])]
    shell.run("SET TimeZone = 'UTC'", *selects)
    nested = (json.dumps([text]), json.dumps({"s": text}))
    if mode is Mode.JSON:
        assert json.loads(stream.getvalue()) == [{"plain": text, "list": [text], "struct": {"s": text}}]
    elif mode is Mode.CSV:
        assert list(csv.reader(stream.getvalue().splitlines()))[1] == [text, *nested]
    else:
        assert all(each in stream.getvalue() for each in (text, *nested))


@pytest.mark.alone
def test_ctrl_c_ends_a_statement_of_duckdb(tmp_path: Path) -> None:
    slow = "SELECT count(*) FROM range(30000000) a, range(1000000) b WHERE hash(a.range, b.range) % 1000000007 = 1"
    program = [sys.executable, "-m", "gensearch_db.cli.main", "sql", str(tmp_path / "p.duckdb"), "-c", f"SELECT 1; {slow}"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "1 row" not in process.stdout.readline():
        pass
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        _, complaint = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted" in complaint
