"""The utility of releases of Adult beside the best peers' and issue 5's targets, measured on what was written.

    python -m benchmarks.utility [--quick] [--write docs/utility_figures.md]

For each k one release per cost of ``problems/utility_costs.toml``, made by the command line in a process of its own, which with
everything takes no more time than the best peer took. ``--quick`` gives each a second of search. Needs ../shared/data and
../shared/tools.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measuring import PROBLEMS, anonymized, conditions, utility, verdict
from gensearch_db.search.warm_up import warm_up

MEASURES = {"DM": "DM", "GCP": "GCP", "error_mean": "query error"}
"""The yardstick's names and the table's."""

PEERS = {
    10: {"DM": 419_000, "GCP": 0.059, "error_mean": 0.19},
    100: {"DM": 3_530_000, "GCP": 0.197, "error_mean": 0.52},
    1000: {"DM": 32_300_000, "GCP": 0.392, "error_mean": 1.27},
}
"""The best peer's figures, each of whichever peer is best (issue 5). At k = 1000 the DM comes with 729 suppressed rows."""

TARGETS = {
    10: {"DM": 365_000, "GCP": 0.038, "error_mean": 0.11},
    100: {"DM": 3_240_000, "GCP": 0.140, "error_mean": 0.42},
    1000: {"DM": 31_000_000, "GCP": 0.345, "error_mean": 1.15},
}
OWN_COST = {"DM": "discernibility", "GCP": "certainty_penalty", "error_mean": "query_error"}
"""The release that each target is held against."""

START_AND_END = 2.5
"""Seconds of a process outside the search: loading, counting cells, writing, auditing."""


@dataclass(frozen=True)
class Outcome:
    """One release: what was minimised, its seconds (the whole process) and what the yardstick found."""

    k: int
    name: str
    cost: str
    seconds: float
    processor: float
    limit: float
    measured: dict[str, Any]

    @property
    def beats_peers(self) -> bool:
        """Whether it is better than the best peer on every measure, without suppressing a row."""
        better = all(self.measured[measure] < PEERS[self.k][measure] for measure in MEASURES)
        return better and self.measured["missing_rows"] == 0

    def row(self) -> str:
        """The line of the table."""
        found = self.measured
        late = "" if self.seconds <= self.limit else " (late)"
        return (
            f"| {self.k} | {self.name} | {found['classes']:,} | {found['smallest']:,} | {found['DM']:,} | {found['GCP']:.4f} "
            f"| {found['error_mean']:.3f} | {self.seconds:.1f} of {self.limit:g}{late} | {self.processor:.1f} "
            f"| {'yes' if self.beats_peers else 'no'} |"
        )


def released(k: int, name: str, cost: str, limit: float, search: float) -> Outcome:
    """Make one release and measure it."""
    flags = ["--k", str(k), "--minimize", cost, "--stop-after", f"{search:g} seconds"]
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "adult.duckdb"
        _, process = anonymized(database, PROBLEMS / "adult_utility.toml", *flags)
        return Outcome(k, name, cost, process.seconds, process.processor, limit, utility(database))


def targets(outcomes: list[Outcome]) -> list[str]:
    """Issue 5's table: each measure's target against the release made for it, and against the best of all."""
    lines = [
        "| k | measure | best peer | target | the release made for it | verdict | best of our releases |",
        "|---|---|---|---|---|---|---|",
    ]
    for k, wanted in TARGETS.items():
        for measure, words in MEASURES.items():
            found = {each.name: each.measured[measure] for each in outcomes if each.k == k}
            if OWN_COST[measure] in found:
                own, best = found[OWN_COST[measure]], min(found, key=lambda name: found[name])
                lines.append(
                    f"| {k} | {words} | {PEERS[k][measure]:,} | {wanted[measure]:,} | {own:,} "
                    f"| {verdict(own, wanted[measure])} | {found[best]:,} ({best}, {verdict(found[best], wanted[measure])}) |"
                )
    return lines


def at_once(outcomes: list[Outcome]) -> list[str]:
    """Which single release beats the best peer on all measures, per k."""
    lines = []
    for k in dict.fromkeys(each.k for each in outcomes):
        winners = [f"{each.name} (`{each.cost}`)" for each in outcomes if each.k == k and each.beats_peers]
        lines.append(f"* k = {k}: {', '.join(winners) if winners else '**none: missed**'}")
    return lines


def page(outcomes: list[Outcome], quick: bool) -> str:
    """The document."""
    costs = [f"| {each.k} | {each.name} | `{each.cost}` |" for each in outcomes]
    return "\n".join(
        [
            "# Utility on Adult",
            "",
            f"<!-- Written by `python -m benchmarks.utility{' --quick' if quick else ''}`. -->",
            conditions(),
            *(["", "**A quick run of one second of search each: not what the search can reach.**"] if quick else []),
            "",
            "## Targets",
            "",
            *targets(outcomes),
            "",
            "## One release better than the best peer on DM, GCP and query error at once",
            "",
            *at_once(outcomes),
            "",
            "## All releases",
            "",
            "| k | release | classes | smallest | DM | GCP | query error | seconds | processor seconds | beats every peer |",
            "|---|---|---|---|---|---|---|---|---|---|",
            *(each.row() for each in outcomes),
            "",
            "| k | release | minimises |",
            "|---|---|---|",
            *costs,
            "",
        ]
    )


def main() -> None:
    """Make all releases, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a second of search for each release")
    parser.add_argument("--k", type=int, nargs="+", choices=sorted(TARGETS), default=sorted(TARGETS))
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    runs = tomllib.loads((PROBLEMS / "utility_costs.toml").read_text(encoding="utf-8"))
    chosen = [spec for spec in runs.values() if spec["k"] in arguments.k]
    warm_up()
    for cost in {spec[name] for spec in chosen for name in ("discernibility", "mixed")}:
        released(chosen[0]["k"], "compiling", cost, 0.0, 0.1)
    outcomes = []
    for spec in chosen:
        k, limit = int(spec["k"]), float(spec["seconds"])
        for name in ("discernibility", "certainty_penalty", "query_error", "mixed"):
            outcomes.append(released(k, name, spec[name], limit, 1.0 if arguments.quick else limit - START_AND_END))
            print(outcomes[-1].row(), flush=True)
            if arguments.write:
                arguments.write.write_text(page(outcomes, arguments.quick), encoding="utf-8")
    print(page(outcomes, arguments.quick))


if __name__ == "__main__":
    main()
