"""What every test may use: the data folder beside the checkout, databases with nothing left behind, the invariants."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from gensearch_db.problem.files import is_file
from gensearch_db.problem.problem import Problem
from tests.cases.invariants import check_release
from tests.cases.naming import literal, source_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_sessionstart() -> None:
    """Hear Ctrl-C: a shell starts its background jobs deaf to it, and the processes that tests start would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with the reason, what needs the data folder where it is absent."""
    if DATA.is_dir():
        return
    for item in items:
        if item.get_closest_marker("needs_data"):
            item.add_marker(pytest.mark.skip(reason="the data folder ../shared/data is not beside this checkout"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The data folder; only for tests marked ``needs_data``."""
    return DATA


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The path of a database file that does not exist yet."""
    return tmp_path / "people.duckdb"


@pytest.fixture
def connection(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An open connection to a new database file."""
    with duckdb.connect(str(database)) as opened:
        yield opened


@pytest.fixture
def default_handler() -> Iterator[None]:
    """Ctrl-C raises ``KeyboardInterrupt``, as in a program that has changed nothing about it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def everything_in(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, ...]]:
    """Every table, view, schema, type, macro and sequence that a user could see, temporary ones included."""
    return set(
        connection.execute(
            """
            SELECT 'table', database_name, schema_name, table_name FROM duckdb_tables()
            UNION ALL SELECT 'view', database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal
            UNION ALL SELECT 'schema', database_name, schema_name, '' FROM duckdb_schemas() WHERE NOT internal
            UNION ALL SELECT 'type', database_name, schema_name, type_name FROM duckdb_types() WHERE NOT internal
            UNION ALL SELECT 'sequence', database_name, schema_name, sequence_name FROM duckdb_sequences()
            UNION ALL SELECT 'macro', database_name, schema_name, function_name FROM duckdb_functions()
                WHERE NOT internal AND function_type LIKE '%macro%'
            """
        ).fetchall()
    )


@pytest.fixture
def check_invariants() -> Callable[[duckdb.DuckDBPyConnection, Problem], None]:
    """Checks the invariants of every release by SQL that shares no code with the package (``cases/invariants.py``)."""

    def check(connection: duckdb.DuckDBPyConnection, problem: Problem) -> None:
        source = literal(problem.table) if is_file(problem.table) else source_of(problem.table)
        fields = problem.model_dump(mode="json", exclude_defaults=True)
        measures = check_release(connection, {**fields, "table": source})
        (rows,) = connection.execute(f"SELECT count(*) FROM {source}").fetchall()[0]
        assert measures.rows + measures.suppressed == rows

    return check
