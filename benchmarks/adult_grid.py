"""The 100-split problem of Adult under every combination of issue 4's constraints and costs: status and seconds.

    python benchmarks/adult_grid.py [--seconds 120] [--k 50 100 1000] [--threads 2] [--into docs/adult_grid.md]

Writes the table after every run, so that a run that is broken off keeps what was measured. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gensearch_db
from gensearch_db.problem.problem import Problem
from gensearch_db.search.warm_up import warm_up

PROBLEM = Path(__file__).parent.parent / "tests" / "problems" / "adult_100_splits.toml"

CONSTRAINTS: dict[str, tuple[str, ...]] = {
    "entropy l = 1.5": ("entropy_l_diversity(1.5, income)",),
    "t = 0.2 (ordered)": ("t_closeness(0.2, income, distance = ordered)",),
    "epsilon-privacy": ("epsilon_privacy(10, 10000, 0, income)",),
}
CONSTRAINTS["all together"] = tuple(text for texts in CONSTRAINTS.values() for text in texts)
CONSTRAINTS["k only"] = ()

COSTS = ("discernibility", "classification(income)", "volume")


@dataclass(frozen=True)
class Outcome:
    """One run: what was asked, how it ended."""

    k: int
    constraints: str
    cost: str
    status: str
    seconds: float
    value: float
    bound: float

    def row(self) -> str:
        """The line of the table."""
        factor = self.value / self.bound if self.bound else float("inf")
        return (
            f"| {self.k} | {self.constraints} | {self.cost} | {self.status} | {self.seconds:.0f} "
            f"| {self.value:,.0f} | {self.bound:,.0f} | {factor:.4f} |"
        )


def runs(sizes: list[int], seconds: float, threads: int) -> Iterator[Outcome]:
    """Solve the problems one after the other, the largest k first."""
    base = Problem.from_toml(PROBLEM)
    for k in sorted(sizes, reverse=True):
        for cost in COSTS:
            for words, constraints in CONSTRAINTS.items():
                problem = base.model_copy(
                    update={
                        "subject_to": (f"k_anonymity({k})", *constraints),
                        "minimize": cost,
                        "stop_after": seconds,
                        "threads": threads,
                    }
                )
                release = gensearch_db.anonymize(":memory:", problem)
                yield Outcome(k, words, cost, release.status.value, release.seconds, release.cost, release.lower_bound)


def page(outcomes: list[Outcome], seconds: float, threads: int) -> str:
    """The document."""
    solved = sum(outcome.status == "OPTIMAL" for outcome in outcomes)
    return "\n".join(
        [
            "# Adult, 100 splits: every constraint and cost",
            "",
            "<!-- Made by `python benchmarks/adult_grid.py`. -->",
            "",
            f"Each run had {seconds:g} seconds of search and {threads} threads; load of the machine at the end: "
            f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores. {solved} of {len(outcomes)} were proven optimal. Seconds are "
            "those of the whole way, the audit included.",
            "",
            "| k | constraints | cost | status | seconds | cost found | proven bound | factor |",
            "|---|---|---|---|---|---|---|---|",
            *(outcome.row() for outcome in outcomes),
            "",
        ]
    )


def main() -> None:
    """Run the grid and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--k", type=int, nargs="+", default=[50, 100, 1000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--into", type=Path, default=Path(__file__).parent.parent / "docs" / "adult_grid.md")
    arguments = parser.parse_args()
    warm_up()
    outcomes: list[Outcome] = []
    for outcome in runs(arguments.k, arguments.seconds, arguments.threads):
        outcomes.append(outcome)
        print(outcome.row(), flush=True)
        arguments.into.write_text(page(outcomes, arguments.seconds, arguments.threads), encoding="utf-8")


if __name__ == "__main__":
    main()
