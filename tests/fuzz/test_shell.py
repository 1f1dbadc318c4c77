"""The shell with anything in it: it answers or complains and goes on, and what it prints can be read back."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

import gensearch_db
from gensearch_db.statements.completion import StatementCompleter
from gensearch_db.statements.output import Mode
from gensearch_db.statements.shell import Shell
from tests.cases.naming import quoted
from tests.cases.statement_text import statement

from .checks import some
from .problems import Case, cases
from .test_count_queries import changed
from .test_statements import ADULT, EXAMPLES, VOCABULARY, working_in

COMMANDS = (".help {}", ".tables", ".columns {}", ".mode {}", ".mode json", ".mode csv", ".quit", ".{}", ". {}")


def typed() -> st.SearchStrategy[str]:
    """What a person may type: statements with mistakes, dot commands, half of either."""
    words = st.sampled_from(VOCABULARY)
    return st.one_of(
        changed(EXAMPLES, tuple(word for word in VOCABULARY if not word.isdigit())),
        st.builds(str.format, st.sampled_from(COMMANDS), words),
        st.lists(words, max_size=6).map(" ".join),
        st.text(max_size=10),
    )


@pytest.mark.slow
@some(4)
@given(st.lists(typed(), min_size=1, max_size=4), st.sampled_from(list(Mode)))
def test_a_person_may_type_anything(lines: list[str], mode: Mode) -> None:
    stream = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, working_in(folder), gensearch_db.connect() as connection:
        connection.execute(ADULT).fetchall()
        shell = Shell(connection, mode, stream)
        completer = StatementCompleter(connection)
        for line in lines:
            for end in {len(line), len(line) // 2}:
                list(completer.get_completions(Document(line, end), CompleteEvent()))
            if not shell.respond(line):
                assert line.strip().startswith((".quit", ".exit"))
                event("left")
        assert shell.respond("ROLLBACK") or True
        before = len(stream.getvalue())
        shell.mode = Mode.JSON
        assert shell.respond("SELECT 7 AS seven")
        assert stream.getvalue()[before:].strip().endswith('[{"seven": 7}]')
    assert "Traceback" not in stream.getvalue()
    assert "INTERNAL" not in stream.getvalue()


@pytest.mark.slow
@some(5)
@given(cases(most_rows=15))
def test_what_is_printed_can_be_read_back(case: Case) -> None:
    """Names, rows and text of any table and its release, as JSON and as CSV."""
    with gensearch_db.connect() as connection:
        case.create(connection.engine)
        Shell(connection, Mode.JSON, io.StringIO()).respond(statement(case.problem))
        tables = {
            name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary").fetchall()
        }
        for table in sorted(tables & {"src", "rel", "rel_blocks"}):
            event(table)
            columns = connection.execute(f"DESCRIBE {table}").fetchall()
            texts = [place for place, (_, kind, *_) in enumerate(columns) if kind == "VARCHAR"]
            cells = ", ".join(f"{quoted(name)}::VARCHAR" for name, *_ in columns)
            rows = connection.execute(f"SELECT {cells} FROM {table}").fetchall()
            _check_json(_printed(connection, table, Mode.JSON), [name for name, *_ in columns], rows, texts)
            _check_csv(_printed(connection, table, Mode.CSV), [name for name, *_ in columns], rows, texts)
            assert _printed(connection, table, Mode.TABLE).endswith(f"{len(rows)} row{'s' * (len(rows) != 1)}\n")


def _printed(connection: Any, table: str, mode: Mode) -> str:
    stream = io.StringIO()
    Shell(connection, mode, stream).run(f"FROM {table}")
    return stream.getvalue()


def _check_json(printed: str, names: list[str], rows: list[tuple[Any, ...]], texts: list[int]) -> None:
    objects = json.loads(printed, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))
    assert len(objects) == len(rows)
    for found, row in zip(objects, rows, strict=True):
        assert list(found) == names
        cells = list(found.values())
        assert [cells[place] for place in texts] == [row[place] for place in texts]
        for cell, text in zip(cells, row, strict=True):
            assert (cell is None) == (text is None or text == "nan")


def _check_csv(printed: str, names: list[str], rows: list[tuple[Any, ...]], texts: list[int]) -> None:
    found = list(csv.reader(io.StringIO(printed, newline="")))
    if found and len(names) == 1:
        found = [row or [""] for row in found]
    assert found[0] == names
    assert len(found) == len(rows) + 1
    for line, row in zip(found[1:], rows, strict=True):
        assert [line[place] for place in texts] == [row[place] or "" for place in texts]
