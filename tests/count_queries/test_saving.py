"""Saving the results of a workload: Ctrl-C after the commit hides nothing, and what cannot be kept leaves no table."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

from gensearch_db.cli.main import main
from gensearch_db.count_queries import run_workload
from gensearch_db.count_queries.saving import save_csv, save_table
from gensearch_db.errors import SpecificationError
from tests.count_queries.fixtures import categorical, make_release
from tests.faults.test_ctrl_c_after_commit import attempt


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        make_release(connection, "coarse", [categorical("sex")], [{"sex": ["F", "M"], "count": 100}])
    return path


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "workload.sql"
    path.write_text("SELECT COUNT(*) FROM people WHERE sex = 'F';", encoding="utf-8")
    return path


def tables(path: Path) -> set[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


@pytest.mark.usefixtures("default_handler")
def test_an_interrupt_is_told_exactly_where_nothing_was_saved(file: Path, workload: Path) -> None:
    report = run_workload(file, ["coarse"], workload)

    def save(path: Path, fields: dict[str, Any]) -> None:
        save_table(path, report, fields["into"])

    steps, told = attempt(save, file, {"into": "t0"}, None)
    assert not told
    lines = steps.lines
    first_times = sorted({line: place for place, line in reversed(list(enumerate(lines, start=1)))}.values())
    outcomes = set()
    for number in first_times:
        _, told = attempt(save, file, {"into": f"t{number}"}, number)
        assert (f"t{number}" in tables(file)) is not told, f"{lines[number - 1]}: {told=}"
        outcomes.add(told)
    assert outcomes == {True, False}, "all signals came on one side of the commit"


def test_a_file_that_cannot_be_written_leaves_no_table(file: Path, workload: Path, tmp_path: Path) -> None:
    before = tables(file)
    arguments = ["queries", "run", str(file), "coarse", "--workload", str(workload), "--into", "kept"]
    with pytest.raises(SystemExit):
        main([*arguments, "--csv", str(tmp_path / "absent" / "x.csv")])
    assert tables(file) == before
    main([*arguments, "--csv", str(tmp_path / "x.csv")])
    assert tables(file) == before | {"kept"}


def test_a_name_that_is_taken_is_refused_before_anything_is_written(
    file: Path, workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE VIEW kept AS SELECT 1 AS one")
    csv = tmp_path / "x.csv"
    csv.write_text("older results")
    with pytest.raises(SystemExit):
        main(["queries", "run", str(file), "coarse", "--workload", str(workload), "--into", "KEPT", "--csv", str(csv)])
    assert capsys.readouterr().err == "gensearch: error: view 'kept' exists already: choose another name for the results\n"
    assert csv.read_text() == "older results"


def test_only_earlier_results_are_overwritten(
    file: Path, workload: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A database or a workload that is named by mistake is lost otherwise."""
    arguments = ["queries", "run", str(file), "coarse", "--workload", str(workload), "--csv"]
    for mistaken in (file, workload):
        before = mistaken.read_bytes()
        with pytest.raises(SystemExit):
            main([*arguments, str(mistaken)])
        assert "exists already and holds no results of count queries" in capsys.readouterr().err
        assert mistaken.read_bytes() == before
    with pytest.raises(SystemExit):
        main([*arguments, str(tmp_path)])
    assert "name a file in a folder that exists" in capsys.readouterr().err
    results = tmp_path / "x.csv"
    results.write_text("")
    main([*arguments, str(results)])
    first = results.read_bytes()
    assert first.count(b"\n") == 2
    main([*arguments, str(results)])
    assert results.read_bytes() == first


def test_results_take_the_place_of_older_ones_whole_or_not_at_all(
    file: Path, workload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = run_workload(file, ["coarse"], workload)
    results, link = tmp_path / "x.csv", tmp_path / "link.csv"
    save_csv(report, results)
    whole = results.read_bytes()
    older = whole + b"an older line\n"
    results.write_bytes(older)
    results.chmod(0o600)
    link.symlink_to(results)
    names = sorted(path.name for path in tmp_path.iterdir())
    write = Path.write_bytes

    def half(path: Path, data: bytes) -> int:
        assert path.parent.stat().st_mode & 0o077 == 0, "others could read it before it has the permissions of the older one"
        write(path, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", half)
        with pytest.raises(SpecificationError, match="cannot be written: No space left"):
            save_csv(report, link)
    assert results.read_bytes() == older
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    save_csv(report, link)
    assert (link.is_symlink(), results.read_bytes(), results.stat().st_mode & 0o777) == (True, whole, 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_results_may_go_into_a_pipe(file: Path, workload: Path, tmp_path: Path) -> None:
    report = run_workload(file, ["coarse"], workload)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        save_csv(report, pipe)
        assert os.read(reader, 10) == b"release,qu"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
