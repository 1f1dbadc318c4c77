"""Kept code: what several processes keep at once is not mistaken for each other, and what is wrong with it stops no run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gensearch_db import kept_code

FUNCTION = """
from gensearch_db.compilation import compiled

@compiled
def twice(number):
    return number + number
"""

CALL = "import halves; print(halves.twice({number}), *halves.twice.stats.cache_hits.values())"

SAVE_AT_ONCE = """
import sys, time
from pathlib import Path
from numba.core.caching import IndexDataCacheFile

me, other = sys.argv[1:]

def reached(place):
    Path(me + place).touch()

def wait_for(name):
    while not Path(name).exists():
        time.sleep(0.01)

save_index, save_data = IndexDataCacheFile._save_index, IndexDataCacheFile._save_data

def in_turn_save_index(files, index):
    reached("has read the index")
    wait_for(other + "has read the index")
    if me == "float":
        wait_for("int" + "saved the index")
    save_index(files, index)
    reached("saved the index")

def in_turn_save_data(files, name, data):
    if me == "int":
        wait_for("float" + "saved the code")
    save_data(files, name, data)
    reached("saved the code")

IndexDataCacheFile._save_index, IndexDataCacheFile._save_data = in_turn_save_index, in_turn_save_data
import halves
print(halves.twice(1.5 if me == "float" else 3))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where processes run that have a function of their own to compile and an empty cache."""
    (tmp_path / "halves.py").write_text(FUNCTION)
    return tmp_path


def start(folder: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    here = str(Path(kept_code.__file__).parent.parent)
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": f"{here}{os.pathsep}{folder}"}
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    printed, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return printed.strip()


def test_code_that_two_processes_keep_at_once_is_not_exchanged(folder: Path) -> None:
    """Both have read an empty index; that of ``float`` is written last, and the code of ``int``."""
    processes = [start(folder, SAVE_AT_ONCE, *names) for names in (("int", "float"), ("float", "int"))]
    assert [output(process) for process in processes] == ["6", "3.0"]
    assert output(start(folder, CALL.format(number=1.5))) == "3.0 1"
    assert output(start(folder, CALL.format(number=3))) == "6", "its entry is lost, so it is compiled again"
    assert output(start(folder, CALL.format(number=3))) == "6 1"


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 100])
def test_torn_files_are_written_anew(folder: Path, kind: str, left: int) -> None:
    assert output(start(folder, CALL.format(number=3))) == "6"
    (torn,) = folder.rglob(f"*.{kind}")
    torn.write_bytes(torn.read_bytes()[:left])
    assert output(start(folder, CALL.format(number=3))) == "6"
    assert output(start(folder, CALL.format(number=3))) == "6 1"


def test_a_full_disk_is_told_and_stops_nothing(folder: Path) -> None:
    full = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    full += "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); import halves; print(halves.twice(3), halves.twice(1.5))"
    process = start(folder, full)
    printed, told = process.communicate(timeout=120)
    assert printed.strip() == "6 3.0"
    place = folder / "cache" / "gensearch-db"
    assert told.strip() == (f"Compiled code cannot be kept in {place} (File too large): it will be compiled again next time.")


def test_code_is_not_taken_from_where_others_can_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user's own cache cannot be written: loading code runs it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "halves.py"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    own = folder / f"gensearch-db-{kept_code.USER}"

    def found() -> Path:
        kept_code.cache_folder.cache_clear()
        return kept_code.cache_folder()

    try:
        assert [found(), found()] == [own, own]
        assert own.stat().st_mode & 0o777 == 0o700
        for mode in (0o720, 0o702):
            own.chmod(mode)
            assert found() != own
        own.chmod(0o700)
        moved = own.rename(folder / "elsewhere")
        own.symlink_to(moved)
        assert found() != own
        own.unlink()
        moved.rename(own)
        assert found() == own
        with monkeypatch.context() as somebody:
            somebody.setattr(kept_code, "USER", kept_code.USER + 1)
            (folder / f"gensearch-db-{kept_code.USER}").mkdir(mode=0o700)
            assert found().parent == folder
            assert found() not in (own, folder / f"gensearch-db-{kept_code.USER}")
    finally:
        kept_code.cache_folder.cache_clear()
