"""What the block graph reaches on Adult: proofs of the 100-split problem, and releases where every age is a split.

    python -m benchmarks.block_graph [--seconds 30] [--only proofs|releases|hardest] [--write docs/search_figures.md]

Needs ../shared/data. Prints Markdown tables; ``--write`` puts them into the docs. Compilation is not counted. ``hardest``: only
the proofs that no minute comes near, for longer runs.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from gensearch_db.cost.cost import Cost
from gensearch_db.cost.discernibility import Discernibility
from gensearch_db.cost.gcp import GlobalCertaintyPenalty
from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import SearchProblem, SearchResult, StoppingRule
from gensearch_db.search.run import search
from tests.search.adult import adult_problem

TARGETS = {
    ("discernibility", 10): 365_000,
    ("discernibility", 100): 3_240_000,
    ("discernibility", 1000): 31_000_000,
    ("gcp", 10): 0.038,
    ("gcp", 100): 0.140,
    ("gcp", 1000): 0.345,
}
"""Issue 5's targets."""


def run(problem: SearchProblem, seconds: float) -> tuple[SearchResult, float, float]:
    """The result, its seconds on the clock and of processor time."""
    clock, processor = time.monotonic(), time.process_time()
    result = search(problem, Strategy.BLOCK_GRAPH, StoppingRule(seconds=seconds))
    return result, time.monotonic() - clock, time.process_time() - processor


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.4f}"


ALL = (("taxonomy", (1000, 500, 100, 50, 25, 10)), ("ordered", (1000, 500, 100, 50)))
HARDEST = (("ordered", (100, 50)),)
"""Kinds of categories, and values of k."""


def proofs(seconds: float, problems: tuple[tuple[str, tuple[int, ...]], ...]) -> list[str]:
    lines = [
        "| categories | k | status | DM | lower bound | gap | blocks visited | seconds | processor seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, ks in problems:
        for k in ks:
            result, clock, processor = run(adult_problem(k, kind=kind), seconds)
            lines.append(
                f"| {kind} | {k} | {result.status} | {result.cost:,.0f} | {result.lower_bound:,.0f} | {result.gap:.2%} | "
                f"{result.counters['blocks_visited']:,} | {clock:.1f} | {processor:.1f} |"
            )
            print(lines[-1], flush=True)
    return lines


def releases(seconds: float) -> list[str]:
    lines = [
        "| cost | k | after 1 s | after 5 s | at the end | target | reached | seconds | processor seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    costs: tuple[Cost, ...] = (Discernibility(), GlobalCertaintyPenalty())
    for cost in costs:
        for k in (1000, 100, 10):
            result, clock, processor = run(adult_problem(k, cost, kind="unordered", every_age=True), seconds)
            target = TARGETS[cost.name, k]
            after = [min((m.cost for m in result.history if m.seconds <= t), default=float("inf")) for t in (1, 5)]
            lines.append(
                f"| {cost.name} | {k} | {shown(after[0])} | {shown(after[1])} | {shown(result.cost)} | {shown(target)} | "
                f"{'yes' if result.cost <= target else 'missed'} | {clock:.1f} | {processor:.1f} |"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--only", choices=["proofs", "releases", "hardest"])
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    search(adult_problem(10_000), Strategy.BLOCK_GRAPH, StoppingRule())
    load = os.getloadavg()[0]
    only = f" --only {arguments.only}" if arguments.only else ""
    text = [
        "# What the block graph reaches on Adult",
        "",
        f"Written by `python -m benchmarks.block_graph --seconds {arguments.seconds:g}{only}` on {os.cpu_count()} cores.",
        f"Load of the machine at the start: {load:.1f}. Above 1, other work shared it, and processor seconds tell more.",
    ]
    if arguments.only != "releases":
        problems = HARDEST if arguments.only == "hardest" else ALL
        text += ["", "## The 100-split problem, cost discernibility", "", *proofs(arguments.seconds, problems)]
    if arguments.only in (None, "releases"):
        text += ["", "## Every age a split, categories as sets, labels = values", "", *releases(arguments.seconds)]
    if arguments.write:
        arguments.write.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
