"""Fig 23: the three keys of the priority queue, discernibility on Adult."""

from __future__ import annotations

from itertools import product

from benchmarks.enumeration_tables import measure, write_table

NODES = (1_000, 10_000, 50_000)
SPLITS, K = 12, 100


def main() -> None:
    """Run all and write docs/enumeration_priorities.md."""
    rows = []
    for complete, priority in product((False, True), ("lb", "cost", "lb/cost")):
        cells: list[object] = []
        for nodes in NODES:
            options = {"priority": priority, "bound": "tight", "complete": complete}
            run = measure("Adult", SPLITS, K, "discernibility", "enumeration", options, 60.0, nodes)
            cells += [float(run.cost), float(run.lower_bound)]
        rows.append((priority, "yes" if complete else "no", *cells))
        print(*rows[-1], flush=True)
    header = ["priority", "completed greedily", *(f"{what} after {n:,} nodes" for n in NODES for what in ("DM", "bound"))]
    text = (
        f"Fig 23 of the paper: Adult, {SPLITS} splits, k = {K}, discernibility, tight bound. Best cost and proven lower bound"
        " after so many nodes of the partition enumeration tree."
    )
    write_table("enumeration_priorities", "Enumeration: keys of the priority queue", text, header, rows)


if __name__ == "__main__":
    main()
