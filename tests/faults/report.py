"""Strike faults and write what came of them into ``docs/reliability.md``: ``python -m tests.faults.report``.

``python -m tests.faults.report "publi or handing_over"`` strikes only those whose tests pytest's ``-k`` chooses by these words:
their lines take the place of the older ones, the others stay.
"""

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
HEAD = (
    f"DuckDB {duckdb.__version__}, Python {platform.python_version()}; every line is a test that passed.\n\n"
    "| fault | when it strikes | found afterwards |\n|---|---|---|\n"
)


def table(lines: list[dict[str, str]]) -> list[str]:
    """The outcomes as lines of a table in Markdown."""
    return [f"| {line['fault']} | {line['moment']} | {line['outcome']} |\n" for line in lines]


def renewed(older: list[str], newer: list[str]) -> list[str]:
    """Lines of a table in which those of each fault stand in the place of the older ones of the same fault, or at the end."""
    result = list(older)
    for fault in dict.fromkeys(fault_of(line) for line in newer):
        places = [number for number, line in enumerate(result) if fault_of(line) == fault]
        kept = [line for line in result if fault_of(line) != fault]
        place = places[0] if places else len(kept)
        result = [*kept[:place], *(line for line in newer if fault_of(line) == fault), *kept[place:]]
    return result


def fault_of(line: str) -> str:
    """What the first cell of a line says."""
    return line.split(" | ")[0]


def struck(words: str | None) -> list[str]:
    """Run the tests of faults, or those chosen: the lines of the table that they make. Exits where a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes"
        os.environ[FILE] = str(file)
        chosen = [] if words is None else ["-k", words]
        if pytest.main([str(Path(__file__).parent), *chosen]) != pytest.ExitCode.OK:
            sys.exit("a fault was not survived: the table stays as it is")
        return table([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])


def main(words: str | None) -> None:
    """Renew the table, or the lines of the faults chosen, only if all that was struck was survived."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    older, _, after = rest.partition(END)
    if words is not None and not older.startswith(HEAD):
        sys.exit("the older lines are of another DuckDB or Python: strike all faults")
    lines = struck(words)
    if words is not None:
        lines = renewed(older.removeprefix(HEAD).splitlines(keepends=True), lines)
    PAGE.write_text(before + START + HEAD + "".join(lines) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
