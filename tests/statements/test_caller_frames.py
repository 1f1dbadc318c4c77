"""DataFrames, Arrow tables and relations of the caller in our own statements."""

import threading

import pandas
import pyarrow
import pytest

from gensearch_db.errors import SpecificationError
from gensearch_db.statements.connection import Connection, connect

frame_of_the_module = pandas.DataFrame({"age": [number % 5 for number in range(50)], "sex": ["f", "m"] * 25})
ANONYMIZE = "ANONYMIZE TABLE {} INTO r REPLACE QUASI IDENTIFIERS (age, sex) SUBJECT TO k_anonymity(5)"


@pytest.fixture
def connection() -> Connection:
    return connect()


def released(connection: Connection) -> int:
    return connection.execute("SELECT count(*) FROM r").fetchall()[0][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("source", ["frame", "(SELECT * FROM frame)", "arrow", "relation", "stream", "frame_of_the_module"])
def test_our_statements_read_the_callers_variables(connection: Connection, source: str) -> None:
    frame = frame_of_the_module.copy()
    arrow = pyarrow.Table.from_pandas(frame)
    relation = connection.engine.from_df(frame)
    stream = arrow.to_reader(max_chunksize=10)
    assert None not in (relation, stream)
    connection.sql(ANONYMIZE.format(source))
    assert released(connection) == 50
    assert connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


def test_profile_and_audit_read_them(connection: Connection) -> None:
    frame = frame_of_the_module
    assert len(frame) == 50
    assert connection.sql("PROFILE frame").fetchall()[0][:3] == ("age", "BIGINT", 5)
    connection.execute(ANONYMIZE.format("frame"))
    verdicts = dict(row[::2] for row in (each[:3] for each in connection.sql("AUDIT r AGAINST frame").fetchall()))
    assert verdicts["rows_balance"] == "PASSED"


@pytest.mark.parametrize("source", ["frame", "(SELECT * FROM frame WHERE age >= 0)"])
def test_audit_reads_the_recorded_frame_while_it_is_there(connection: Connection, source: str) -> None:
    def verdicts() -> dict[str, str]:
        return {row[0]: row[2] for row in connection.sql("AUDIT r").fetchall()}

    frame = frame_of_the_module
    connection.execute(ANONYMIZE.format(source).replace("TABLE (", "("))
    connection.execute("BEGIN")
    assert verdicts()["rows_balance"] == "PASSED"
    frame = frame_of_the_module.head(49)
    assert len(frame) == 49
    assert verdicts()["rows_balance"] == "FAILED"
    del frame
    assert "rows_balance" not in verdicts()
    assert connection.execute("SELECT count(*) FROM r").fetchall() == [(50,)]
    connection.execute("COMMIT")


def test_a_table_comes_first(connection: Connection) -> None:
    frame = frame_of_the_module.head(10)
    connection.execute("CREATE TABLE frame AS SELECT i % 2 AS age, 'f' AS sex FROM range(20) t(i)")
    connection.sql(ANONYMIZE.format("frame"))
    assert (len(frame), released(connection)) == (10, 20)


def test_a_result_may_be_called_like_the_release(connection: Connection) -> None:
    frame, r = frame_of_the_module, frame_of_the_module
    r = connection.sql(ANONYMIZE.format("frame")).df()
    r = connection.sql(ANONYMIZE.format("frame")).df()
    assert (len(frame), len(r), released(connection)) == (50, 1, 50)


def test_other_variables_are_no_tables(connection: Connection) -> None:
    number = 5
    with pytest.raises(SpecificationError, match="table number does not exist"):
        connection.sql("PROFILE number")
    connection.execute("SET python_enable_replacements = false")
    with pytest.raises(SpecificationError, match="table frame_of_the_module does not exist"):
        connection.sql("PROFILE frame_of_the_module")
    assert number == 5


def test_cursors_anonymize_in_threads(connection: Connection) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        frame = frame_of_the_module
        try:
            cursor = connection.cursor()
            cursor.sql(ANONYMIZE.format("frame").replace("INTO r", f"INTO r_{number}") if frame is not None else "")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(connection.sql("SHOW RELEASES").fetchall()) == 4
