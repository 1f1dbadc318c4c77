"""Running a search in a process of its own, and writing tables of results to docs/: no figure there is typed by hand."""

from __future__ import annotations

import platform
import resource
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.enumeration_problems import problem
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import StoppingRule
from gensearch_db.search.run import search

DOCS = Path(__file__).resolve().parent.parent / "docs"


@dataclass(frozen=True)
class Run:
    """What one search did. ``megabytes``: growth of the process's peak memory; ``history``: (seconds, cost, bound)."""

    status: str
    cost: float
    lower_bound: float
    seconds: float
    megabytes: float
    counters: Mapping[str, int | float]
    history: Sequence[tuple[float, float, float]]


def measure(
    data: str,
    splits: int,
    k: int,
    cost: str,
    strategy: str,
    options: Mapping[str, str | int | float | bool],
    seconds: float,
    node_limit: int | None = None,
) -> Run:
    """Run one search in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measure, data, splits, k, cost, strategy, options, seconds, node_limit).result()


def _measure(
    data: str,
    splits: int,
    k: int,
    cost: str,
    strategy: str,
    options: Mapping[str, str | int | float | bool],
    seconds: float,
    node_limit: int | None,
) -> Run:
    if strategy == "block_graph":  # its compiled code is loaded by a first search, which is not measured
        search(problem(data, 10, 10_000, cost), Strategy.BLOCK_GRAPH, StoppingRule(seconds=120))
    asked = problem(data, splits, k, cost)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    result = search(asked, Strategy(strategy), StoppingRule(seconds=seconds, node_limit=node_limit), options=options)
    taken = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    history = [(moment.seconds, moment.cost, moment.lower_bound) for moment in result.history]
    return Run(result.status.value, result.cost, result.lower_bound, taken, grown, result.counters, history)


def write_table(name: str, title: str, text: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write ``docs/<name>.md``: a title, what was run, and one table."""
    machine = f"Written by `python -m benchmarks.{name}` on {platform.machine()}, Python {platform.python_version()}."
    lines = [f"# {title}", "", text, "", machine, "", _line(header), _line(["---"] * len(header))]
    lines += [_line([_text(cell) for cell in row]) for row in rows]
    (DOCS / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
