"""What every test may use: the data folder beside the checkout, databases with nothing left behind, the invariants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


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
