"""The command line with a stopwatch on the phases of ``anonymize``.

    python -m benchmarks.phases phases.json anonymize people.duckdb …

Writes ``{phase: [seconds on the clock, seconds of processor time]}``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

STEPS = (
    ("preparation: names, values, cells", "gensearch_db.anonymization", "prepare_problem"),
    ("compiled code loaded", "gensearch_db.search.warm_up", "warm_up"),
    ("search, compiled code included", "gensearch_db.anonymization", "_search"),
    ("release: blocks and labels", "gensearch_db.database.release", "plan_release"),
    ("release: blocks and labels", "gensearch_db.database.release", "_load_partition"),
    ("release: rows read again and compared", "gensearch_db.database.release", "_read_members"),
    ("release: rows and blocks written", "gensearch_db.database.release", "_write_tables"),
    ("audit", "gensearch_db.database.release", "audit_subject"),
)
"""Phase, module, function."""


def watch(times: dict[str, list[float]], phase: str, module: str, function: str) -> None:
    """Put a stopwatch around a function."""
    home = import_module(module)
    inner: Callable[..., Any] = getattr(home, function)

    def timed(*arguments: Any, **named: Any) -> Any:
        started, processor = time.perf_counter(), time.process_time()
        try:
            return inner(*arguments, **named)
        finally:
            total = times.setdefault(phase, [0.0, 0.0])
            total[0] += time.perf_counter() - started
            total[1] += time.process_time() - processor

    setattr(home, function, timed)


def main() -> None:
    """Run the command line; write the times however it ends."""
    target = Path(sys.argv[1])
    times: dict[str, list[float]] = {}
    from gensearch_db.cli.main import main as command_line

    for phase, module, function in STEPS:
        watch(times, phase, module, function)
    sys.argv = ["gensearch", *sys.argv[2:]]
    try:
        command_line()
    finally:
        target.write_text(json.dumps(times), encoding="utf-8")


if __name__ == "__main__":
    main()
