"""Publications that take their place: a reader finds the old one or the new one, whichever line the process is killed at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import gensearch_db.staging
from gensearch_db.errors import SpecificationError
from gensearch_db.staging import place_folder, staged
from gensearch_db.statements.handing_over import refuse_files

from .outcomes import record

FEWEST_KILLS = 10


def state(files: dict[str, str], whole: int) -> str:
    """Which publication these files are; "torn" where they are of two or not all there."""
    texts = set(files.values())
    return "none" if not files else texts.pop() if len(texts) == 1 and len(files) == whole else "torn"


@pytest.mark.parametrize(
    ("kind", "at_once", "afterwards"),
    [
        ("new folder", {"none", "new"}, {"none", "new"}),
        ("folder", {"old", "new"}, {"old", "new"}),
        ("folder without exchange", {"old", "none", "new"}, {"old", "new"}),
    ],
)
def test_a_folder_is_old_or_new(tmp_path: Path, kind: str, at_once: set[str], afterwards: set[str]) -> None:
    lines = killed_everywhere(kind, tmp_path)
    seen = Counter(state(line["at_once"], 3) for line in lines)
    assert set(seen) == at_once
    assert {state(line["afterwards"], 3) for line in lines} == afterwards
    record(f"SIGKILL while a publication takes its place: {kind}", f"at each of {len(lines)} lines", seen)


def test_a_file_is_old_or_new_and_its_dictionary_is_its_own_or_none(tmp_path: Path) -> None:
    lines = killed_everywhere("file", tmp_path)
    seen: Counter[str] = Counter()
    for line in lines:
        database = line["at_once"].pop("out.duckdb")
        assert set(line["at_once"].values()) <= {database}
        seen[f"{database} file, {'its' if line['at_once'] else 'no'} dictionary"] += 1
    assert {"old file, its dictionary", "new file, its dictionary"} <= set(seen)
    record("SIGKILL while a publication takes its place: file", f"at each of {len(lines)} lines", seen)


def killed_everywhere(kind: str, folder: Path) -> list[dict[str, dict[str, str]]]:
    """What was found after each kill, and at last after none; nothing hidden is left by the next publication."""
    command = [sys.executable, "-m", "tests.faults.handing_over_killed", kind, str(folder / "place")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(lines) > FEWEST_KILLS
    assert [line["killed"] for line in lines] == [True] * (len(lines) - 1) + [False]
    assert not any(line["hidden"] for line in lines)
    return lines


def test_a_publication_at_work_is_not_taken_for_a_leftover(tmp_path: Path) -> None:
    with staged(tmp_path / "out") as first:
        with staged(tmp_path / "out") as second:
            assert first.is_dir()
            assert second != first
        assert first.is_dir()
    assert not list(tmp_path.iterdir())


def test_an_older_folder_comes_back_where_the_new_one_may_not_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without permission to write in it cannot be moved into another one, nor exchanged."""
    target, rename = tmp_path / "out", os.rename
    target.mkdir()
    (target / "r.csv").write_text("old")

    def refusing(source: Path, place: Path) -> None:
        if (Path(source) / "new.csv").exists():
            raise PermissionError("may not move")
        rename(source, place)

    monkeypatch.setattr(gensearch_db.staging, "_exchange", lambda first, second: False)
    monkeypatch.setattr(os, "rename", refusing)
    with staged(target) as staging:
        (staging / "out").mkdir()
        (staging / "out" / "new.csv").write_text("new")
        with pytest.raises(PermissionError):
            place_folder(staging / "out", target, replace=True)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["out", "out/r.csv"]


def test_what_is_no_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out.duckdb").mkdir()
    for replace in (False, True):
        with pytest.raises(SpecificationError, match="that is no file, so choose another target"):
            refuse_files([tmp_path / "out.duckdb"], replace=replace)
