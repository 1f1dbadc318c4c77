"""A process that hands over publications of plain files and is killed, in children of its own, at every line it runs.

``python -m tests.faults.handing_over_killed KIND FOLDER`` prints, one JSON object per line, what a reader finds after each kill
and after the next hand-over began. It opens no database, so that it has one thread and may fork.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import gensearch_db.staging
from gensearch_db.staging import place_folder, staged
from gensearch_db.statements import handing_over
from gensearch_db.statements.handing_over import place_files

MOVING = (gensearch_db.staging.__file__, handing_over.__file__)
"""The modules that move files: a process is killed at each of their lines."""

FILES = ("r.parquet", "r_blocks.parquet", "dictionary.json")


def write(folder: Path, names: tuple[str, ...], text: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(text, encoding="utf-8")


def hand_over(kind: str, place: Path, text: str) -> None:
    """Publish files that all hold ``text``."""
    if kind == "file":
        with staged(place / "out.duckdb") as staging:
            write(staging, ("out.duckdb", "out.duckdb.dictionary.json"), text)
            place_files(staging, place / "out.duckdb", place / "out.duckdb.dictionary.json", replace=True)
        return
    with staged(place / "out") as staging:
        write(staging / "out", FILES, text)
        place_folder(staging / "out", place / "out", replace=kind != "new folder")


def found(kind: str, place: Path) -> dict[str, str]:
    """What a reader sees: the text of each file that is not hidden."""
    visible = [path for path in place.rglob("*") if path.is_file() and ".gensearch-" not in str(path)]
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(visible)}


def killed_at_line(number: int) -> None:
    """From here on this process is killed when it comes to the line of this number in these modules."""
    seen = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_filename not in MOVING:
            return None
        if event == "line":
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def main(kind: str, place: Path) -> None:
    if kind == "folder without exchange":
        gensearch_db.staging._exchange = lambda first, second: False  # type: ignore[assignment]
    number, killed = 0, True
    while killed:
        number += 1
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        if kind != "new folder":
            hand_over(kind, place, "old")
        child = os.fork()
        if child == 0:
            killed_at_line(number)
            hand_over(kind, place, "new")
            os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        at_once = found(kind, place)
        with staged(place / ("out.duckdb" if kind == "file" else "out")):
            afterwards = found(kind, place)
        hidden = [path.name for path in place.iterdir() if path.name.startswith(".")]
        print(json.dumps({"killed": killed, "at_once": at_once, "afterwards": afterwards, "hidden": hidden}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
