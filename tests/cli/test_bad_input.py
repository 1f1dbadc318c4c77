"""Every wrong request: one clear message on stderr, an exit code that is not 0, no traceback, nothing written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from gensearch_db.cli.main import main
from gensearch_db.errors import DataError, InfeasibleError, LockError, ReadOnlyError, SpecificationError
from tests.conftest import everything_in

SETUP = """
CREATE TABLE people (name VARCHAR, age INTEGER, zip VARCHAR, illness VARCHAR, weight DOUBLE, born DATE, tags VARCHAR[]);
INSERT INTO people VALUES
    ('a', 30, '1001', 'flu', 1, '2000-01-01', ['x']), ('b', 31, '1002', 'cold', 2, '2000-01-02', ['x']),
    ('c', 42, '1101', 'flu', 3, '2001-01-01', ['y']), ('d', 43, '1102', 'cold', 'inf', 'infinity', NULL);
CREATE TABLE empty_people AS FROM people LIMIT 0;
CREATE TABLE zips (zip VARCHAR, region VARCHAR); INSERT INTO zips VALUES ('1001', '10'), ('1002', '10'), ('1101', '11');
CREATE TABLE two_parents (zip VARCHAR, region VARCHAR);
INSERT INTO two_parents VALUES ('1001', '10'), ('1002', '10'), ('1101', '11'), ('1102', '11'), ('1002', '11');
CREATE TABLE taken (a INTEGER);
CREATE VIEW taken_view AS SELECT 1 AS a;
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def people(database: Path) -> Path:
    with duckdb.connect(str(database)) as connection:
        connection.execute(SETUP)
    return database


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process: exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = 0
        try:
            main(list(arguments))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def request(*, table: str = "people", into: str = "rel", k: str = "2", zip_: str = "zip: prefix", **more: str) -> list[str]:
    flags = ["--table", table, "--into", into, "--quasi-identifier", "age: every 10", "--quasi-identifier", zip_, "--k", k]
    for name, value in more.items():
        flags += [f"--{name.replace('_', '-').rstrip('-')}", value]
    return flags


BAD = {
    "unknown table": (request(table="peopel"), SpecificationError, ["peopel", "did you mean", "people"]),
    "unknown column": (request(sensitive="ilness"), SpecificationError, ["ilness", "did you mean 'illness'"]),
    "named twice": (request(zip_="AGE: every 5"), SpecificationError, ["age", "twice"]),
    "two roles": (request(identifier="zip"), SpecificationError, ["'zip'", "identifier", "quasi-identifier"]),
    "k of 0": (request(k="0"), SpecificationError, ["k must be a whole number of at least 1"]),
    "k above the rows": (request(k="5"), InfeasibleError, ["k_anonymity(5)", "4"]),
    "no such schema": (request(into="hr.rel"), SpecificationError, ["hr"]),
    "taxonomy gap": (request(zip_="zip: taxonomy zips"), DataError, ["zip", "1102"]),
    "two parents": (request(zip_="zip: taxonomy two_parents"), DataError, ["1002"]),
    "no such taxonomy": (request(zip_="zip: taxonomy zipz"), SpecificationError, ["zipz"]),
    "infinite number": (request(zip_="weight: every 1"), DataError, ["weight", "1"]),
    "infinite date": (request(zip_="born: every year"), DataError, ["born", "1"]),
    "nested type": (request(zip_="tags: every 5"), DataError, ["tags", "VARCHAR[]"]),
    "target exists": (request(into="taken"), SpecificationError, ["taken", "exists already"]),
    "target is a view": (request(into="taken_view"), SpecificationError, ["view", "taken_view", "exists already"]),
    "target is the source": (request(into="people"), SpecificationError, ["people", "exists already"]),
    "unknown constraint": (
        request(subject_to="k_anonimity(3)"),
        SpecificationError,
        ["k_anonimity", "did you mean 'k_anonymity'"],
    ),
    "unknown cost": (
        request(minimize="discernability"),
        SpecificationError,
        ["discernability", "did you mean 'discernibility'"],
    ),
    "unreadable split": (request(zip_="zip: sometimes"), SpecificationError, ["zip", "sometimes"]),
    "unreadable duration": (request(stop_after="soon"), SpecificationError, ["soon", "duration"]),
    "missing file": (request(table="nowhere.parquet"), SpecificationError, ["nowhere.parquet", "does not exist"]),
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "nowhere/x.duckdb"], "database file 'nowhere/x.duckdb' cannot be made: the folder 'nowhere' does not exist"),
        (["sql", "p.duckdb", "-f", "nowhere.sql"], "script 'nowhere.sql' cannot be read: No such file or directory"),
        (["sql", "p.duckdb", "-f", "."], "script '.' cannot be read: Is a directory"),
        (["anonymize", "p.duckdb", "--problem", "."], "problem file '.' cannot be read: Is a directory"),
    ],
)
def test_a_place_that_cannot_be_used_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, complaint = run(*arguments)
    assert code == SpecificationError.exit_code
    assert complaint == f"gensearch: error: {message}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_refused_in_one_message(name: str, people: Path, run: Run) -> None:
    flags, error, words = BAD[name]
    with duckdb.connect(str(people)) as connection:
        before = everything_in(connection)
    code, out, complaint = run("anonymize", str(people), *flags)
    assert code == error.exit_code, complaint
    assert out == ""
    assert complaint.startswith("gensearch: error: ")
    assert "Traceback" not in complaint
    for word in words:
        assert word in complaint
    with duckdb.connect(str(people)) as connection:
        assert everything_in(connection) == before


def test_an_empty_table_is_refused(people: Path, run: Run) -> None:
    code, _, complaint = run("anonymize", str(people), *request(table="empty_people"))
    assert code in (DataError.exit_code, InfeasibleError.exit_code)
    assert "0 rows" in complaint or "no rows" in complaint


def test_all_problems_of_a_request_are_reported_together(people: Path, run: Run) -> None:
    flags = request(sensitive="ilness", into="taken", subject_to="k_anonimity(3)", minimize="discernability")
    code, _, complaint = run("anonymize", str(people), *flags)
    assert code == SpecificationError.exit_code
    for word in ("ilness", "taken", "k_anonimity", "discernability"):
        assert word in complaint
    assert "4 problems" in complaint


def test_a_missing_problem_file_is_one_message(people: Path, run: Run) -> None:
    code, _, complaint = run("anonymize", str(people), "--problem", "nowhere.toml")
    assert (code, complaint.count("\n")) == (SpecificationError.exit_code, 1)
    assert "'nowhere.toml' does not exist" in complaint


def test_a_file_that_is_no_database(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    code, _, complaint = run("anonymize", str(path), *request())
    assert code != 0
    assert "notes.txt" in complaint
    assert "Traceback" not in complaint


def test_a_new_database_file_is_removed_after_a_failure(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "new.duckdb"
    code, _, _ = run("anonymize", str(path), *request())
    assert code == SpecificationError.exit_code
    assert not path.exists()


def test_a_database_that_another_process_holds(people: Path, run: Run) -> None:
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(people)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        for command in (["anonymize", str(people), *request()], ["audit", str(people), "rel"], ["releases", str(people)]):
            code, out, complaint = run(*command)
            assert (code, out) == (LockError.exit_code, "")
            assert people.name in complaint
            assert str(holder.pid) in complaint
        assert holder.stdin is not None
        holder.stdin.close()


def test_a_database_that_is_open_in_another_way_is_named(people: Path) -> None:
    import gensearch_db

    with duckdb.connect(str(people)):
        for opened in (lambda: gensearch_db.audit(people, "rel"), lambda: gensearch_db.connect(people, read_only=True)):
            with pytest.raises(LockError, match="another configuration") as caught:
                opened()
            assert str(people) in str(caught.value)


def test_statistics_from_sql_go_with_the_enumeration_only(people: Path, run: Run) -> None:
    for strategy in ("block_graph", "mondrian", "mondrian_steepest"):
        code, out, complaint = run("anonymize", str(people), *request(strategy=strategy, statistics="sql"))
        assert (code, out) == (SpecificationError.exit_code, "")
        assert "strategy = enumeration" in complaint
        assert strategy in complaint


def test_a_read_only_database(people: Path) -> None:
    import gensearch_db

    with duckdb.connect(str(people), read_only=True) as connection, pytest.raises(ReadOnlyError, match="read-only"):
        gensearch_db.anonymize(connection, "people", into="rel", quasi_identifiers=["age"], k=2)


ROWS = "CREATE TABLE people AS SELECT 20 + i % 40 AS age, '0' || i % 5 AS zip FROM range(120) numbers(i)"


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["anonymize", "peple.duckdb", *request()], "table people does not exist"),
        (["anonymize", "peple.duckdb", *request(table="(FROM people)")], "Table with name people does not exist!"),
        (["anonymize", "peple.duckdb", *request(table="people.csv", zip_="zip: taxonomy zips")], "table zips does not exist"),
        (["sql", "peple.duckdb", "-c", "FROM people"], "Table with name people does not exist!"),
        (["sql", "peple.duckdb", "-c", "SELECT 1; PROFILE people"], "table people does not exist"),
    ],
)
def test_a_misspelt_database_file_is_told_and_not_left_behind(
    people: Path, monkeypatch: pytest.MonkeyPatch, run: Run, arguments: list[str], missing: str
) -> None:
    """Found 2026-11-28: only the missing table was told, and the shell left an empty database."""
    monkeypatch.chdir(people.parent)
    (people.parent / "people.csv").write_text("age,zip\n" + "30,1001\n31,1002\n" * 4)
    before = sorted(path.name for path in people.parent.iterdir())
    code, _, complaint = run(*arguments)
    assert code != 0
    assert "database file 'peple.duckdb' does not exist: is its name misspelt?" in complaint
    assert missing in complaint
    assert sorted(path.name for path in people.parent.iterdir()) == before


def test_a_new_database_is_told_of_only_where_a_table_is_missing(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "new.duckdb"
    for arguments in (
        ["anonymize", str(path), *request(table="nowhere.parquet")],
        ["sql", str(path), "-c", "SELECT 1 FROM"],
        ["sql", ":memory:", "-c", "FROM people"],
    ):
        code, _, complaint = run(*arguments)
        assert code != 0
        assert "misspelt" not in complaint
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "script",
    [
        f"{ROWS}; FROM nowhere",
        f"{ROWS}; ATTACH ':memory:' AS other; USE other; FROM nowhere",
        f"{ROWS}; ATTACH ':memory:' AS other; USE other; DETACH new; FROM nowhere",
        f"{ROWS}; BEGIN; DROP TABLE people; FROM nowhere",
    ],
)
def test_what_a_script_made_before_it_failed_stays(tmp_path: Path, run: Run, script: str) -> None:
    path = tmp_path / "new.duckdb"
    code, _, complaint = run("sql", str(path), "-c", script)
    assert code != 0
    assert "nowhere" in complaint
    assert "misspelt" not in complaint
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT count(*) FROM people").fetchall() == [(120,)]
