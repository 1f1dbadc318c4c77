"""Fuzz for hours: ``tests/fuzz`` with one seed after another, and a line in ``docs/fuzzing.csv`` for each.

``python tools/fuzz.py --hours 2`` runs until the time is up; ``--examples`` sets how many random problems a seed draws. What
the line says is taken from hypothesis's own statistics and from the operating system, so that nobody types a figure. A finding
does not end the run; its seed is in the line, its text in the log, and the same seed on the same commit finds it again.
Each seed runs on the last commit, in a folder of its own. ``--summary`` writes what all the lines come to into
``docs/reliability.md``.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
LEDGER = CHECKOUT / "docs" / "fuzzing.csv"
COLUMNS = ("date", "commit", "seed", "examples", "processor_seconds", "findings")
PAGE = CHECKOUT / "docs" / "reliability.md"
MARKS = ("<!-- written by tools/fuzz.py -->", "<!-- end of fuzzing -->")


def exported(folder: Path) -> str:
    """Bring ``folder`` to the last commit, so that nobody's half-finished work is fuzzed; the commit's short name.

    git keeps its list of the files there in an index of its own, and rewrites only those that a new commit changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GIT_INDEX_FILE": str(folder.with_name(folder.name + ".index")), "GIT_WORK_TREE": str(folder)}
    environment["GIT_DIR"] = git("rev-parse", "--absolute-git-dir")
    subprocess.run(["git", "read-tree", "--reset", "-u", "HEAD"], cwd=folder, env=environment, check=True)
    return git("rev-parse", "--short", "HEAD")


def git(*arguments: str) -> str:
    """What git answers in this checkout."""
    return subprocess.run(["git", *arguments], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


def run(seed: int, examples: int, log: Path, folder: Path) -> dict[str, object]:
    """Run every fuzz test of the last commit with one seed; what it did."""
    commit = exported(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/fuzz", f"--hypothesis-seed={seed}", "--hypothesis-show-statistics"],
        env={**os.environ, "GENSEARCH_FUZZ": str(examples)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with log.open("a", encoding="utf-8") as file:
        file.write(f"===== seed {seed}\n{ran.stdout}\n{ran.stderr}\n")
    if ran.returncode not in (0, 1):
        sys.exit(f"the tests did not run: see {log}")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit,
        "seed": seed,
        "examples": drawn(ran.stdout),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),
        "findings": len(re.findall(r"^FAILED ", ran.stdout, re.MULTILINE)),
    }


def drawn(output: str) -> int:
    """How many examples hypothesis says it ran to their end, in the phase that draws new ones."""
    counts = re.findall(r"during generate phase.*?(\d+) passing, (\d+) failing", output, re.DOTALL)
    return sum(int(passing) + int(failing) for passing, failing in counts)


def write_down(line: dict[str, object]) -> None:
    """Add one line to the ledger."""
    new = not LEDGER.exists()
    with LEDGER.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(line)


def summary() -> str:
    """What the lines come to, one row per day."""
    with LEDGER.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    rows = ["| day | commits | seeds | examples | processor hours | seeds with a finding |", "|---|---|---|---|---|---|"]
    for day in sorted({line["date"] for line in lines}):
        those = [line for line in lines if line["date"] == day]
        hours = sum(int(line["processor_seconds"]) for line in those) / 3600
        found = sum(int(line["findings"]) > 0 for line in those)
        commits = len({line["commit"] for line in those})
        rows.append(
            f"| {day} | {commits} | {len(those)} | {sum(int(line['examples']) for line in those):,} | {hours:.2f} | {found} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Run seeds until the time is up, or write the summary into the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--hours", type=float, default=1.0)
    options.add_argument("--examples", type=int, default=150)
    options.add_argument("--log", type=Path, default=Path("fuzzing.log"))
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "gensearch-fuzz")
    options.add_argument("--summary", action="store_true")
    chosen = options.parse_args()
    if chosen.summary:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        PAGE.write_text(f"{before}{MARKS[0]}\n{summary()}\n{MARKS[1]}{after}", encoding="utf-8")
        return
    end = time.monotonic() + 3600 * chosen.hours
    while time.monotonic() < end:
        line = run(random.randrange(2**32), chosen.examples, chosen.log, chosen.folder)
        write_down(line)
        print(*line.values(), flush=True)


if __name__ == "__main__":
    main()
