"""The notebook magics, and the notebook of the documentation run cell by cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

InteractiveShell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture
def shell() -> Iterator[Any]:
    """An IPython shell of its own; its variables are the notebook's."""
    shell = InteractiveShell()
    shell.history_manager.enabled = False
    shell.run_cell("%load_ext gensearch_db")
    yield shell
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()


def run(shell: Any, cell: str) -> Any:
    outcome = shell.run_cell(cell)
    outcome.raise_error()
    return outcome.result


def test_the_notebook_of_the_documentation_runs(shell: Any) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    results = [run(shell, "".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
    certificate = shell.user_ns["certificate"]
    assert certificate["audit"].tolist() == ["PASSED"]
    assert certificate["blocks"][0] > 1
    assert set(shell.user_ns["audit"]["verdict"]) <= {"PASSED", "MEASURED"}
    assert results[-1].shape == (5, 3)
    estimates = results[-2]
    visits = shell.user_ns["visits"]
    true = visits[visits["age"].between(30, 49)].groupby("ward").size()
    assert estimates["estimate"].sum() == pytest.approx(true.sum(), rel=0.2)


def test_a_cell_gives_a_frame_and_reads_the_notebooks_variables(shell: Any) -> None:
    shell.user_ns["line"] = shell.user_ns["result"] = pandas.DataFrame({"a": [1, 2]})
    assert run(shell, "%%gensearch\nSELECT sum(a)::BIGINT AS total FROM line")["total"].tolist() == [3]
    assert run(shell, "%%gensearch kept\nSELECT a FROM result ORDER BY a")["a"].tolist() == [1, 2]
    assert shell.user_ns["kept"]["a"].tolist() == [1, 2]


def test_a_database_is_chosen_by_file_or_connection(shell: Any, tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 5 AS five").fetchall()
    run(shell, f"%gensearch {path}")
    assert run(shell, "%%gensearch\nFROM t")["five"].tolist() == [5]
    shell.user_ns["mine"] = duckdb.connect()
    shell.user_ns["mine"].execute("CREATE TABLE u AS SELECT 6 AS six").fetchall()
    run(shell, "%gensearch mine")
    assert run(shell, "%%gensearch\nFROM u")["six"].tolist() == [6]


def test_errors_say_what_is_wrong(shell: Any) -> None:
    with pytest.raises(ValueError, match="line 1, column 7"):
        run(shell, "%%gensearch\nAUDIT ,")
    with pytest.raises(ValueError, match="at most one name"):
        run(shell, "%%gensearch a b\nSELECT 1")
    with pytest.raises(ValueError, match="needs a DuckDB file"):
        run(shell, "%gensearch")
