"""Strike all faults and write what came of them into ``docs/reliability.md``: ``python -m tests.faults.report``."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from .outcomes import FILE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
START, END = "<!-- written by tests/faults/report.py -->\n", "<!-- end -->\n"


def table(lines: list[dict[str, str]]) -> str:
    """The outcomes as a table in Markdown."""
    rows = [f"| {line['fault']} | {line['moment']} | {line['outcome']} |\n" for line in lines]
    made = f"DuckDB {duckdb.__version__}, Python {platform.python_version()}; every line is a test that passed.\n"
    return f"{made}\n| fault | when it strikes | found afterwards |\n|---|---|---|\n{''.join(rows)}"


def main() -> None:
    """Run the tests of faults; replace the table only if all of them pass."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes"
        os.environ[FILE] = str(file)
        if pytest.main([str(Path(__file__).parent)]) != pytest.ExitCode.OK:
            sys.exit("a fault was not survived: the table stays as it is")
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + START + table(lines) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
