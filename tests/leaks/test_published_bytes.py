"""What leaves the house, byte by byte: nothing in it tells more than the released rows do.

The table of people holds words and numbers that must not get out: names, a column nobody asked for, comments, the ends of the
age and income scales, and what only a suppressed family has (its illness, its grade). The publication is searched for
them: raw bytes, cells, Parquet's statistics and metadata, comments and dictionaries. It is made and handed out in each of the
four ways into the package.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import main
from tests.cases.naming import toml
from tests.cases.statement_text import statement

PEOPLE = """
CREATE TYPE grade AS ENUM ('low', 'high', 'GRADESECRET', 'UNUSEDSECRET');
CREATE TABLE town_levels AS
SELECT * FROM (VALUES ('Aton', 'north'), ('Bton', 'north'), ('Cton', 'south'), ('Eton', 'east'), ('Fton', 'east'))
  AS t(value, region);
CREATE TABLE people AS
SELECT 'NAMESECRET' || i AS name, (20 + hash(i) % 60)::INTEGER AS age, (1000 + hash(i, 1) % 90000)::DOUBLE AS income,
  ['Aton', 'Bton', 'Cton'][(1 + hash(i, 2) % 3)::INTEGER] AS town,
  ['low', 'high'][(1 + hash(i, 3) % 2)::INTEGER]::grade AS grade, 'd' || hash(i, 4) % 4 AS illness, 'NOTESECRET' || i AS note
FROM range(3989) r(i);
INSERT INTO people VALUES
  ('NAMESECRETold', 98761, 50000, 'Aton', 'low', 'd1', ''), ('NAMESECRETrich', 40, 7654321.5, 'Bton', 'high', 'd2', '');
INSERT INTO people
SELECT 'NAMESECRETfamily', 41, 1234.5, 'Eton', 'GRADESECRET', 'ILLNESSSECRET', 'NOTESECRET' FROM range(3);
COMMENT ON TABLE people IS 'COMMENTSECRET of the table';
COMMENT ON COLUMN people.age IS 'COMMENTSECRET of a column';
"""
SECRETS = ("SECRET", "98761", "7654321", "1234.5", "3994")
"""The last is how many rows the source has: beside the released rows it would tell how many were suppressed."""

PROBLEM: dict[str, Any] = {
    "table": "people",
    "into": "rel",
    "identifiers": ["name"],
    "quasi_identifiers": {
        "age": {"split": "every 30"},
        "income": {"split": "at 30000"},
        "town": {"taxonomy": "town_levels"},
        "grade": {"unordered": True},
    },
    "sensitive": ["illness"],
    "subject_to": ["k_anonymity(20)"],
    "suppress_at_most": 1,
    "typed_columns": True,
}


def found(text: str, *, but: tuple[str, ...] = ()) -> list[str]:
    """The secrets that stand in a text (numbers only as numbers of their own)."""
    return [
        word
        for word in SECRETS
        if word not in but and re.search(re.escape(word) if word.isalpha() else rf"(?<![\d.]){re.escape(word)}(?!\d)", text)
    ]


def publish(connection: duckdb.DuckDBPyConnection, target: str) -> None:
    from gensearch_db.database.session import Session
    from gensearch_db.statements.publish import publish

    with Session(connection) as session:
        publish(session, ["rel"], target)


TARGETS = ("parquet/*.parquet", "csv/*.csv", "out.duckdb")


def by_python(path: Path, folder: Path) -> None:
    with duckdb.connect(path) as connection:
        gensearch_db.anonymize(connection, **PROBLEM)
        for target in TARGETS:
            publish(connection, str(folder / target))


def by_statement(path: Path, folder: Path) -> None:
    with gensearch_db.connect(path) as connection:
        connection.execute(statement(PROBLEM))
        for target in TARGETS:
            connection.execute(f"PUBLISH rel TO '{folder / target}'")


def by_problem_file(path: Path, folder: Path) -> None:
    file = path.with_suffix(".toml")
    file.write_text(toml(PROBLEM), encoding="utf-8")
    main(["anonymize", str(path), "--problem", str(file)])
    publish_by_command(path, folder)


def by_command(path: Path, folder: Path) -> None:
    columns = ["age: every 30", "income: at 30000", "town: taxonomy town_levels", "grade: unordered"]
    flags = ["--table", "people", "--into", "rel", "--identifier", "name", "--sensitive", "illness", "--k", "20"]
    flags += ["--suppress-at-most", "1", "--typed-columns"]
    main(["anonymize", str(path), *flags, *(word for column in columns for word in ("--quasi-identifier", column))])
    publish_by_command(path, folder)


def publish_by_command(path: Path, folder: Path) -> None:
    for target in TARGETS:
        main(["publish", str(path), "rel", "--to", str(folder / target)])


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(tmp_path_factory.mktemp("owner") / "people.duckdb") as connection:
        connection.execute(PEOPLE)
        gensearch_db.anonymize(connection, **PROBLEM)
        yield connection


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "people.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(PEOPLE)
    return path


@pytest.fixture(scope="module", params=[by_python, by_statement, by_problem_file, by_command])
def handed_out(request: pytest.FixtureRequest, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What each way into the package hands out, as the three kinds of files."""
    way: Callable[[Path, Path], None] = request.param
    folder = tmp_path_factory.mktemp("out")
    own = Path(shutil.copy(source, tmp_path_factory.mktemp("own") / "people.duckdb"))
    way(own, folder)
    return folder


def test_the_family_is_suppressed_and_the_extremes_are_released(owner: duckdb.DuckDBPyConnection) -> None:
    """Else the other tests would find nothing because nothing was there."""
    assert owner.execute("SELECT count(*) FROM people").fetchone() == (3994,)
    (released,) = owner.execute("SELECT sum(count)::INT FROM rel_blocks WHERE town IN ('Aton', 'Bton', 'Cton')").fetchall()[0]
    assert 3950 <= released < 3994
    assert owner.execute("SELECT count(*) FROM rel").fetchone() == (released,)
    assert found("98761 7654321.5 ILLNESSSECRET 3994 1234.5") == list(SECRETS)
    assert found("198761 98.761 9876 13994") == []


def test_a_taxonomy_does_not_tell_which_towns_only_suppressed_people_have(handed_out: Path) -> None:
    """Eton (the family's) and Fton (nobody's) stand beside each other wherever one of them stands at all."""
    for path in handed_out.rglob("*.*"):
        text = path.read_bytes().decode("latin-1")
        assert text.count("Eton") == text.count("Fton"), path.name


def test_no_secret_in_any_byte(handed_out: Path) -> None:
    files = [path for path in handed_out.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".parquet", ".csv", ".duckdb", ".json"}
    for path in files:
        # Raw bytes of numbers in binary files mean nothing; their cells are read below.
        text = path.read_bytes().decode("latin-1")
        binary = path.suffix in (".parquet", ".duckdb")
        assert not found(text, but=SECRETS[1:] if binary else ()), path.name
        assert not found(path.name)


def test_no_secret_in_any_cell_or_comment(handed_out: Path) -> None:
    with duckdb.connect(handed_out / "out.duckdb", read_only=True) as receiver:
        text = str(receiver.execute("SELECT * FROM duckdb_tables()").fetchall())
        text += str(receiver.execute("SELECT * FROM duckdb_columns() WHERE NOT internal").fetchall())
        for kind in ("views", "types", "schemas"):
            text += str(receiver.execute(f"SELECT * FROM duckdb_{kind}() WHERE NOT internal").fetchall())
        for table in ("rel", "rel_blocks"):
            text += str(receiver.execute(f"SELECT COLUMNS(*)::VARCHAR FROM {table}").fetchall())
    assert not found(text, but=("3994",))  # object numbers and sizes stand there too
    for path in (handed_out / "parquet").glob("*.parquet"):
        cells = str(duckdb.execute(f"SELECT COLUMNS(*)::VARCHAR FROM '{path}'").fetchall())
        assert not found(cells), path.name


def test_parquet_statistics_are_of_published_values(handed_out: Path) -> None:
    """Minima and maxima of each column chunk are values that the column shows; the file says nothing else of its making."""
    compared = 0
    for path in (handed_out / "parquet").glob("*.parquet"):
        shown = {row[0] for row in duckdb.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()}
        statistics = duckdb.execute(
            f"SELECT path_in_schema, stats_min_value, stats_max_value, stats_min, stats_max FROM parquet_metadata('{path}')"
        ).fetchall()
        for column, *bounds in statistics:
            assert not found(str(bounds)), f"{path.name}: {column}"
            if column not in shown:
                continue  # inside a list or structure: its cells were searched above
            values = {row[0] for row in duckdb.execute(f"SELECT DISTINCT \"{column}\"::VARCHAR FROM '{path}'").fetchall()}
            assert {bound for bound in bounds if bound is not None} <= values, f"{path.name}: {column}"
            compared += 1
        assert duckdb.execute(f"SELECT count(*) FROM parquet_kv_metadata('{path}')").fetchone() == (0,)
    assert compared > 4


@pytest.fixture(scope="module")
def shuffled(owner: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same people in another order."""
    folder = tmp_path_factory.mktemp("shuffled")
    with duckdb.connect(config={"threads": 1}) as other:
        other.execute(PEOPLE.split("CREATE TABLE people")[0])
        frame = (
            owner.cursor()
            .sql("SELECT * REPLACE (grade::VARCHAR AS grade) FROM people ORDER BY hash(name, 5), note")
            .to_arrow_table()
        )
        other.register("frame", frame)
        other.execute("CREATE TABLE people AS SELECT * REPLACE (grade::grade AS grade) FROM frame")
        gensearch_db.anonymize(other, **PROBLEM)
        for target in ("parquet/*.parquet", "csv/*.csv"):
            publish(other, str(folder / target))
    return folder


def test_a_publication_is_the_same_whatever_the_order_of_the_source(shuffled: Path, handed_out: Path) -> None:
    """Byte for byte, so no order of rows, row groups or dictionaries tells where somebody stood in the source."""
    files = [path.relative_to(shuffled) for path in sorted(shuffled.rglob("*.*"))]
    assert len(files) == 6
    for file in files:
        assert (shuffled / file).read_bytes() == (handed_out / file).read_bytes(), file.name


def test_a_publication_keeps_its_order_whatever_is_set(tmp_path: Path) -> None:
    """Rows in the order of the threads that wrote them would be in no order of their own values."""
    with duckdb.connect(config={"threads": 4}) as connection:
        connection.execute("CREATE TABLE many AS SELECT i % 60 AS age, 'd' || hash(i) % 9 AS illness FROM range(300000) r(i)")
        columns: dict[str, Any] = {"quasi_identifiers": {"age": {"split": "every 30"}}, "sensitive": ["illness"]}
        gensearch_db.anonymize(connection, "many", into="rel", subject_to=["k_anonymity(20)"], **columns)
        for folder, kept in (("kept", True), ("not_kept", False)):
            connection.execute(f"SET preserve_insertion_order = {kept}")
            (tmp_path / folder).mkdir()
            for target in TARGETS:
                publish(connection, str(tmp_path / folder / target))
            assert connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone() == (kept,)
    for file in ("parquet/rel.parquet", "csv/rel.csv"):
        assert (tmp_path / "kept" / file).read_bytes() == (tmp_path / "not_kept" / file).read_bytes(), file
    with duckdb.connect(tmp_path / "not_kept/out.duckdb", read_only=True) as receiver:
        rows = receiver.execute("FROM rel").fetchall()
        assert rows == sorted(rows)


def test_released_rows_stand_in_the_order_of_their_own_values(handed_out: Path) -> None:
    rows = duckdb.execute(f"SELECT age, income, town, grade, illness FROM '{handed_out}/parquet/rel.parquet'").fetchall()
    by_class: dict[Any, list[str]] = {}
    for *labels, illness in rows:
        by_class.setdefault(tuple(labels), []).append(illness)
    assert all(illnesses == sorted(illnesses) for illnesses in by_class.values())
    assert list(by_class) == list(dict.fromkeys(tuple(labels) for *labels, _ in rows))
    changes = sum(first[:4] != second[:4] for first, second in pairwise(rows))
    assert changes == len(by_class) - 1, "a class stands in two places"


def test_what_a_run_says_holds_no_value_of_a_row(
    owner: duckdb.DuckDBPyConnection, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Logs at every level, what is printed, the certificate and the audit as text; counts are the owner's to know."""
    with caplog.at_level(logging.DEBUG):
        release = gensearch_db.anonymize(owner, replace=True, **PROBLEM)
        audit = gensearch_db.audit(owner, "rel")
    printed = capfd.readouterr()
    certificate = json.dumps(release.to_dict()) + release.to_text() + json.dumps(audit.to_dict()) + audit.to_text()
    assert not found(certificate + caplog.text + printed.out + printed.err, but=("3994",))


@pytest.mark.parametrize(
    "script",
    [
        "PROFILE people",
        "EXPLAIN ANONYMIZE TABLE people INTO other QUASI IDENTIFIERS (age SPLIT ANYWHERE, income SPLIT 4 QUANTILES, grade) "
        "SENSITIVE (illness) SUBJECT TO k_anonymity(20)",
        "SHOW RELEASES",
        "AUDIT rel WITH rel SUBJECT TO distinct_l_diversity(9, illness)",
        "ESTIMATE SELECT grade, COUNT(*) FROM people GROUP BY grade USING rel",
        "ESTIMATE SELECT illness, town, COUNT(*) FROM people GROUP BY illness, town USING rel",
    ],
)
def test_the_answer_of_a_statement_holds_no_value_of_a_hidden_row(owner: duckdb.DuckDBPyConnection, script: str) -> None:
    """An ENUM's type lists its entries: PROFILE leaves them out."""
    answer = gensearch_db.Connection(owner.cursor()).execute(script)
    assert not found(str(answer.fetchall()) + str(answer.description), but=("3994",))


def test_a_refusal_tells_what_is_reached_but_no_value(owner: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(gensearch_db.GensearchError) as caught:
        gensearch_db.anonymize(owner, **{**PROBLEM, "into": "no", "subject_to": ["k_anonymity(5000)"]})
    assert not found(str(caught.value), but=("3994",))


def test_the_catalog_is_not_handed_out_and_counts_there_stay_there(handed_out: Path) -> None:
    for path in handed_out.rglob("*.json"):
        text = path.read_text()
        assert "suppressed" not in text.replace("suppress_at_most", "")
        assert "people" not in text, "the name of the source"
    with duckdb.connect(handed_out / "out.duckdb", read_only=True) as receiver:
        assert receiver.execute("SELECT list(table_name ORDER BY table_name) FROM duckdb_tables()").fetchone() == (
            ["rel", "rel_blocks"],
        )
