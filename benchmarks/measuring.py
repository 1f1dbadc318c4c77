"""What the benchmarks share: a release made in a process of its own as a user would, with its time, memory and utility."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
ADULT = DATA / "adult" / "adult_complete_30162.parquet"
CENSUS_INCOME = DATA / "census_income" / "census_income_199523.parquet"
UTILITY = ROOT.parent / "shared" / "tools" / "utility.py"
PROBLEMS = Path(__file__).parent / "problems"


@dataclass(frozen=True)
class Run:
    """A finished process: what it printed, its seconds on the clock and of processor time, its peak memory in bytes."""

    output: str
    seconds: float
    processor: float
    memory: int


def run(command: list[str], limit: float | None = None) -> Run:
    """Run a process to its end. Raises :class:`RuntimeError` with what it complained of, :class:`TimeoutError` at the limit."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdout=output, stderr=complaints, cwd=ROOT)
        while True:
            finished, status, usage = os.wait4(process.pid, os.WNOHANG)
            if finished:
                break
            if limit is not None and time.monotonic() - started > limit:
                process.kill()
                process.wait()
                raise TimeoutError(f"not finished after {limit:g} s")
            time.sleep(0.02)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        complaints.seek(0)
        if process.returncode != 0:
            raise RuntimeError(complaints.read().decode()[-1000:] or f"{command[0]} ended with {process.returncode}")
        return Run(output.read().decode(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def anonymized(database: Path, problem: Path, *flags: str) -> tuple[dict[str, Any], Run]:
    """Run ``gensearch anonymize`` on a problem file; its certificate and the process."""
    command = [sys.executable, "-m", "gensearch_db.cli.main", "anonymize", str(database), "--problem", str(problem), "--json"]
    finished = run([*command, *flags])
    return json.loads(finished.output), finished


def phases_of(database: Path, problem: Path, *flags: str) -> tuple[dict[str, Any], Run, dict[str, list[float]]]:
    """As :func:`anonymized`, with the seconds of each phase on the clock and of processor time (``phases.py``)."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "phases.json"
        command = [sys.executable, "-m", "benchmarks.phases", str(times), "anonymize", str(database)]
        finished = run([*command, "--problem", str(problem), "--json", *flags])
        return json.loads(finished.output), finished, json.loads(times.read_text(encoding="utf-8"))


def utility(database: Path, release: str = "release", source: Path = ADULT) -> dict[str, Any]:
    """DM, GCP and query error of what was written: ``../shared/tools/utility.py`` in a process of its own."""
    return dict(json.loads(run([sys.executable, str(UTILITY), str(source), str(database), release]).output))


def conditions() -> str:
    """The machine and its load, for the head of a table."""
    return (
        f"Measured on {os.cpu_count()} cores; load of the machine at the end: {os.getloadavg()[0]:.1f}. Where the load is above"
        " the number of cores, other work shared them: seconds of processor time tell how much of them a run got."
    )


def verdict(value: float, target: float) -> str:
    """Whether a figure is at most its target."""
    return "reached" if value <= target else f"missed by {value / target - 1:.1%}"
