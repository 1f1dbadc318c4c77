"""What blurred spaces prove of the ordered 100-split problem on Adult, cost discernibility: bounds by the number of boxes.

    python -m benchmarks.blurred_spaces [--gigabytes 12] [--write docs/blurred_spaces_figures.md]

Needs ../shared/data. Bounds are in n k (rows times k); "prices" is what the cells alone tell. Compilation is not counted.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

from gensearch_db.problem.problem import Strategy
from gensearch_db.search.blurred_spaces import BlurredSpaces
from gensearch_db.search.result import StoppingRule
from gensearch_db.search.run import search
from gensearch_db.search.worker import Worker
from tests.search.adult import adult_problem

KS = (50, 100, 500)
BOXES = (1e7, 1e8, 1e9, 3e9, 8e9)
KNOWN = 1.15
"""Cost in n k that the spaces are told to be known: what lies above it is not told apart."""


def line(k: int, most_boxes: float, room: float) -> str:
    problem = adult_problem(k, kind="ordered")
    least = problem.cells.row_count * k
    worker = Worker(problem)
    spaces = BlurredSpaces(worker)
    sharp = spaces.sharp_values(most_boxes)
    prices = sum(int(rows) * max(int(rows), k) for rows in problem.cells.counts)
    began = time.process_time()
    for _ in spaces.bound(most_boxes, room, KNOWN * least):
        pass
    seconds = time.process_time() - began
    boxes = math.prod(len(each) * (len(each) + 1) // 2 for each in sharp)
    bound = f"{spaces.lower_bound / least:.5f}" if spaces.lower_bound else "not tried"
    return (
        f"| {k} | {boxes / 1e6:,.0f} million | {', '.join(str(len(each)) for each in sharp)} | "
        f"{spaces.share_of_sharp_rows(sharp):.1%} | {prices / least:.5f} | {bound} | {seconds:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    search(adult_problem(10_000), Strategy.BLOCK_GRAPH, StoppingRule())
    text = [
        "# What blurred spaces prove of the ordered 100-split problem on Adult",
        "",
        f"Written by `python -m benchmarks.blurred_spaces --gigabytes {arguments.gigabytes:g}` on {os.cpu_count()} cores.",
        f"Load of the machine at the start: {os.getloadavg()[0]:.1f}. Bounds in n k; processor seconds.",
        "",
        "| k | boxes | sharp values of each attribute | rows with sharp values only | prices | bound | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for k in KS:
        for most_boxes in BOXES:
            text.append(line(k, most_boxes, arguments.gigabytes * 1e9))
            print(text[-1], flush=True)
    if arguments.write:
        arguments.write.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
