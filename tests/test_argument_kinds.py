"""An argument of another kind than asked for is one clear message, whichever public function it is given to."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db import count_queries
from gensearch_db.errors import SpecificationError

QUERY = "SELECT COUNT(*) FROM t WHERE age < 20"
COLUMNS: dict[str, Any] = {"into": "other", "quasi_identifiers": ["age: every 10"], "k": 5}
WRONG: list[Any] = [5, 1.5, True, b"r", {"a": 1}, ["r"], object(), len]
NO_DATABASE = "a database is a path of a DuckDB file or an open connection"

CALLBACK = "a function that takes a moment of the search and its counters, as progress(moment, counters)"

Call = Callable[[Any, Any], object]
"""What is called with the database and a wrong argument."""

TEXTS: dict[str, Call] = {
    "audit release": lambda people, given: gensearch_db.audit(people, given),
    "audit against": lambda people, given: gensearch_db.audit(people, "r", given),
    "audit suppression_marker": lambda people, given: gensearch_db.audit(people, "r", suppression_marker=given),
    "audit together_with": lambda people, given: gensearch_db.audit(people, "r", together_with=given),
    "estimate release": lambda people, given: gensearch_db.estimate(people, given, QUERY),
    "estimate sql": lambda people, given: gensearch_db.estimate(people, "r", given),
    "estimate_sql release": lambda people, given: count_queries.estimate_sql(people, given, QUERY),
    "estimate_sql sql": lambda people, given: count_queries.estimate_sql(people, "r", given),
    "estimate_macro release": lambda people, given: count_queries.estimate_macro(people, given),
    "drop_release release": lambda people, given: gensearch_db.drop_release(people, given),
    "read_query text": lambda people, given: count_queries.read_query(given),
    "read_queries script": lambda people, given: count_queries.read_queries(given),
    "run_workload source": lambda people, given: count_queries.run_workload(people, ["r"], "demo", source=given),
    "generate_workload release": lambda people, given: count_queries.generate_workload(people, given),
    "generate_workload table": lambda people, given: count_queries.generate_workload(people, "r", table=given),
    "from_json text": lambda people, given: gensearch_db.Problem.from_json(given),
}
DATABASES: dict[str, Call] = {
    "anonymize": lambda people, given: gensearch_db.anonymize(given, "t", **COLUMNS),
    "audit": lambda people, given: gensearch_db.audit(given, "r"),
    "estimate": lambda people, given: gensearch_db.estimate(given, "r", QUERY),
    "estimate_sql": lambda people, given: count_queries.estimate_sql(given, "r", QUERY),
    "estimate_macro": lambda people, given: count_queries.estimate_macro(given, "r"),
    "list_releases": lambda people, given: gensearch_db.list_releases(given),
    "drop_release": lambda people, given: gensearch_db.drop_release(given, "r"),
    "run_workload": lambda people, given: count_queries.run_workload(given, ["r"], "demo"),
    "generate_workload": lambda people, given: count_queries.generate_workload(given, "r"),
}
OTHERS: dict[str, tuple[Call, str]] = {
    "anonymize replace": (lambda people, given: gensearch_db.anonymize(people, "t", replace=given, **COLUMNS), "true or false"),
    "anonymize release_on_interrupt": (
        lambda people, given: gensearch_db.anonymize(people, "t", release_on_interrupt=given, **COLUMNS),
        "true or false",
    ),
    "anonymize progress": (lambda people, given: gensearch_db.anonymize(people, "t", progress=given, **COLUMNS), CALLBACK),
    "audit quasi_identifiers": (
        lambda people, given: gensearch_db.audit(people, "t", quasi_identifiers=given),
        "a list of texts",
    ),
    "audit sensitive": (lambda people, given: gensearch_db.audit(people, "r", sensitive=given), "a list of texts"),
    "audit subject_to": (lambda people, given: gensearch_db.audit(people, "r", subject_to=given), "a list of texts"),
    "run_workload releases": (
        lambda people, given: count_queries.run_workload(people, given, "demo"),
        "a list of texts",
    ),
    "run_workload workload": (
        lambda people, given: count_queries.run_workload(people, ["r"], given),
        "a file, the name of a bundled workload, or a Workload",
    ),
    "read_workload source": (lambda people, given: count_queries.read_workload(given), "a path"),
    "generate_workload queries": (
        lambda people, given: count_queries.generate_workload(people, "r", queries=given),
        "a whole number",
    ),
    "generate_workload seed": (
        lambda people, given: count_queries.generate_workload(people, "r", seed=given),
        "a whole number",
    ),
    "generate_workload selectivity": (
        lambda people, given: count_queries.generate_workload(people, "r", selectivity=given),
        "a number",
    ),
    "generate_workload predicates": (
        lambda people, given: count_queries.generate_workload(people, "r", predicates=given),
        "a list of whole numbers",
    ),
    "count_boxes space": (lambda people, given: gensearch_db.count_boxes(given), "a Space of attributes"),
    "count_partitions space": (lambda people, given: gensearch_db.count_partitions(given), "a Space of attributes"),
    "connect read_only": (lambda people, given: gensearch_db.connect(read_only=given), "true or false"),
    "connect config": (lambda people, given: gensearch_db.connect(config=given), "a group of named values"),
    "Connection engine": (lambda people, given: gensearch_db.Connection(given), "a connection of DuckDB's"),
    "Connection progress": (lambda people, given: gensearch_db.Connection(people, given), CALLBACK),
    "from_toml path": (lambda people, given: gensearch_db.Problem.from_toml(given), "a path"),
    "from_fields fields": (lambda people, given: gensearch_db.Problem.from_fields(given), "a group of named values"),
}
GOOD: dict[str, list[Any]] = {
    "true or false": [True],
    "a list of texts": [["r"], {"a": 1}],
    "a whole number": [5],
    "a number": [5, 1.5],
    "a group of named values": [{"a": 1}],
}
"""By what is wanted: those of the wrong arguments that are not wrong there."""


@pytest.fixture
def people() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 50 AS age FROM range(200) AS numbers(i)")
        yield connection


def refused(call: Call, people: duckdb.DuckDBPyConnection, given: Any) -> str:
    with pytest.raises(SpecificationError) as caught:
        call(people, given)
    return str(caught.value)


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_text(name: str, people: duckdb.DuckDBPyConnection) -> None:
    for given in WRONG:
        assert refused(TEXTS[name], people, given).startswith(f"{name.split()[1]}: must be a text, not ")


@pytest.mark.parametrize("name", DATABASES)
def test_what_is_no_database(name: str, people: duckdb.DuckDBPyConnection) -> None:
    for given in [*WRONG, None]:
        assert refused(DATABASES[name], people, given).startswith(NO_DATABASE)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_of_another_kind(name: str, people: duckdb.DuckDBPyConnection) -> None:
    call, wanted = OTHERS[name]
    for given in [each for each in WRONG if not any(each is good or each == good for good in GOOD.get(wanted, []))]:
        assert refused(call, people, given).startswith(f"{name.split()[1]}: must be {wanted}, not ")
    assert people.execute("SELECT list(table_name) FROM duckdb_tables()").fetchall() == [(["t"],)]


def test_all_arguments_of_a_call_are_told_together(people: duckdb.DuckDBPyConnection) -> None:
    told = refused(lambda people, given: gensearch_db.estimate(people, given, given), people, 5)
    assert told == "2 problems:\n  - release: must be a text, not 5\n  - sql: must be a text, not 5"
    long = refused(lambda people, given: gensearch_db.estimate(people, given, QUERY), people, list(range(1000)))
    assert long == "release: must be a text, not a list"


async def awaited(moment: Any, counters: Any) -> bool:
    return False


def yielded(moment: Any, counters: Any) -> Iterator[bool]:
    yield False


async def both(moment: Any, counters: Any) -> AsyncIterator[bool]:
    yield False


def keyword(moment: Any, *, counters: Any) -> bool:
    return False


class Counting:
    """Callbacks that are no plain functions."""

    def one(self, moment: Any) -> bool:
        return False

    def two(self, moment: Any, counters: Any) -> bool:
        return False

    def __call__(self, moment: Any, counters: Any, more: int = 0) -> bool:
        return False


WRONG_CALLBACKS: dict[str, Any] = {
    "<lambda>()": lambda: False,
    "<lambda>(moment)": lambda moment: False,
    "<lambda>(moment, counters, more)": lambda moment, counters, more: False,
    "a function": awaited,
    "yielded": yielded,
    "both": both,
    "keyword": keyword,
    "one(moment": Counting().one,
    "functools.partial": partial(Counting().one, "given already"),
}


@pytest.mark.parametrize("shown", WRONG_CALLBACKS)
def test_a_callback_of_another_signature_is_refused_before_anything_is_read(
    shown: str, people: duckdb.DuckDBPyConnection
) -> None:
    """Found 2026-11-29: a plain TypeError from inside the search; one that awaits or yields ended it at once."""
    for call, _ in (OTHERS["anonymize progress"], OTHERS["Connection progress"]):
        told = refused(call, people, WRONG_CALLBACKS[shown])
        assert told.startswith(f"progress: must be {CALLBACK}, not ")
        assert "\n" not in told
    absent = "anonymize reads no table that is not there"
    with pytest.raises(SpecificationError, match=r"^progress: must be"):
        gensearch_db.anonymize(people, absent, progress=WRONG_CALLBACKS[shown], **COLUMNS)


@pytest.mark.parametrize(
    "callback",
    [
        lambda *given: False,
        lambda moment, counters, more=0: False,
        Counting().two,
        Counting(),
        partial(Counting.two, Counting()),
    ],
)
def test_what_takes_two_values_is_a_callback(callback: Any, people: duckdb.DuckDBPyConnection) -> None:
    assert gensearch_db.Connection(people, callback).progress is callback


def test_an_error_of_the_callback_itself_stays_what_it_is(people: duckdb.DuckDBPyConnection) -> None:
    mine = TypeError("of the caller's own")

    def failing(moment: Any, counters: Any) -> bool:
        raise mine

    with pytest.raises(TypeError) as caught:
        gensearch_db.anonymize(people, "t", progress=failing, into="other", quasi_identifiers=["age: anywhere"], k=5)
    assert caught.value is mine
    assert people.execute("SELECT list(table_name) FROM duckdb_tables()").fetchall() == [(["t"],)]


def test_a_connection_of_ours_stands_for_the_one_inside(people: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    inside = gensearch_db.Connection(gensearch_db.Connection(people))
    assert inside.engine is people
    with gensearch_db.connect(tmp_path / "p.duckdb", config=None) as connection:
        assert connection.execute("SELECT 5").fetchall() == [(5,)]


def test_what_is_no_problem_as_json() -> None:
    for text in ("", "5", "{", '{"table": "t"}'):
        with pytest.raises(SpecificationError):
            gensearch_db.Problem.from_json(text)


@pytest.mark.parametrize("given", ["", "x\0y", "a" * 300])
@pytest.mark.parametrize("name", DATABASES)
def test_what_is_no_path_of_a_file(name: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found 2026-11-29: an empty path was a database in memory, in which a release was lost; a NUL ended the file's name."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as people:
        told = refused(DATABASES[name], people, given)
    assert told.startswith(NO_DATABASE) or told.endswith("cannot be the path of a database: File name too long")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_a_data_file_is_no_database(name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found 2026-11-29: DuckDB opens one as a database in memory, so that a release was made, audited and lost."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as people:
        people.execute(f"COPY (SELECT i % 50 AS age FROM range(200) AS numbers(i)) TO '{file}'")
        assert refused(DATABASES[name], people, file).startswith(f"'{file}' is no DuckDB database: a data file is named as")
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_a_file_is_opened_by_its_path_whatever_tells_it(tmp_path: Path) -> None:
    """``str`` of an entry of a folder is not its path: a new database was made under that name."""
    duckdb.connect(str(tmp_path / "people.duckdb")).close()
    with os.scandir(tmp_path) as entries, os.scandir(os.fsencode(tmp_path)) as entries_in_bytes:
        (entry,), (entry_in_bytes,) = entries, entries_in_bytes
    assert gensearch_db.list_releases(entry) == []  # type: ignore[arg-type]
    gensearch_db.connect(entry).close()  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == ["people.duckdb"]
    with pytest.raises(SpecificationError, match="opens a file by its path"):
        gensearch_db.connect(entry_in_bytes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "given"), [("audit sensitive", {"age"}), ("run_workload releases", {"r"}), ("generate_workload predicates", {1})]
)
def test_a_set_is_no_list(name: str, given: Any, people: duckdb.DuckDBPyConnection) -> None:
    assert refused(OTHERS[name][0], people, given).startswith(f"{name.split()[1]}: must be a list of ")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("x" * 300, f"'{'x' * 300}' cannot be the path of a database: File name too long"),
        ("\udcff.duckdb", "cannot be the path of a database: DuckDB opens names in UTF-8 only"),
        ("people\0.duckdb", NO_DATABASE),
    ],
)
@pytest.mark.parametrize(
    "call", [DATABASES["anonymize"], DATABASES["list_releases"], lambda _, given: gensearch_db.connect(given)]
)
def test_what_cannot_be_a_path(
    call: Call, path: str, told: str, people: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told in refused(call, people, path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "told"), [("x\0y", "embedded null byte"), ("x" * 300, "File name too long"), ("", "Is a directory")]
)
@pytest.mark.parametrize("read", [gensearch_db.Problem.from_toml, count_queries.read_workload])
def test_what_cannot_be_read_as_a_file(read: Callable[[str], object], path: str, told: str) -> None:
    with pytest.raises(SpecificationError, match=f"cannot be read: {told}"):
        read(path)


@pytest.mark.parametrize("taxonomy", ["x\0y.csv", "x\0y.json"])
def test_what_cannot_be_read_as_a_taxonomy(taxonomy: str, people: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SpecificationError, match=r"taxonomy file '.*' cannot be read: embedded null byte"):
        gensearch_db.anonymize(people, "t", into="r", quasi_identifiers={"age": {"taxonomy": taxonomy}}, k=2)


def test_a_taxonomy_whose_quote_is_never_closed(tmp_path: Path, people: duckdb.DuckDBPyConnection) -> None:
    path = tmp_path / "ages.csv"
    path.write_text('"1;all\n' + "2;all\n" * 50_000)
    with pytest.raises(SpecificationError, match=r"taxonomy file '.*ages\.csv' cannot be read: field larger"):
        gensearch_db.anonymize(people, "t", into="r", quasi_identifiers={"age": {"taxonomy": str(path)}}, k=2)


def test_a_source_file_with_too_long_a_name_does_not_exist(people: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SpecificationError, match=r"file 'x+\.parquet' does not exist"):
        gensearch_db.anonymize(people, "x" * 300 + ".parquet", **COLUMNS)
