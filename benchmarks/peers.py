"""Other tools on Adult, measured as our releases are: Mondrian of anonypy and anonypyx, anjana's full-domain generalization.

    python -m benchmarks.peers --python /path/to/bin/python [--repeat 3] [--limit 120] [--write docs/peers_figures.md]

``--python`` names an environment with anonypy, anonypyx, anjana and duckdb (``pip install gensearch-db[benchmarks]``); this one
is the default. Seconds are those of whole processes, medians of the repetitions. Needs ../shared/data and ../shared/tools.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import ADULT, ROOT, Run, conditions, run, utility

TOOLS = ("anonypy", "anonypyx", "anjana")
HIERARCHIES = ADULT.parent / "hierarchies"
VERSIONS = "import importlib.metadata as m, json; print(json.dumps({t: m.version(t) for t in %r}))" % (TOOLS,)  # noqa: UP031


def measured(python: str, tool: str, k: int, repeat: int, limit: float) -> str:
    """The line of the table."""
    runs: list[Run] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            database = str(Path(folder) / "peer.duckdb")
            script = str(ROOT / "benchmarks" / "peer_release.py")
            try:
                runs.append(run([python, script, tool, str(k), str(ADULT), str(HIERARCHIES), database], limit))
            except TimeoutError as error:
                return f"| {tool} | {k} | {error} | | | | | | |"
            except RuntimeError as error:
                return f"| {tool} | {k} | failed: {str(error).strip().splitlines()[-1]} | | | | | | |"
            if len(runs) == repeat:
                found = utility(Path(database))
    return (
        f"| {tool} | {k} | {found['classes']:,} | {found['missing_rows']:,} | {found['DM']:,} | {found['GCP']:.4f} "
        f"| {found['error_mean']:.3f} | {statistics.median(each.seconds for each in runs):.1f} "
        f"| {statistics.median(each.processor for each in runs):.1f} |"
    )


def main() -> None:
    """Run all tools, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--k", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    versions = json.loads(run([arguments.python, "-c", VERSIONS]).output)
    lines = []
    for tool in TOOLS:
        for k in arguments.k:
            lines.append(measured(arguments.python, tool, k, arguments.repeat, arguments.limit))
            print(lines[-1], flush=True)
    page = "\n".join(
        [
            "# Other tools on Adult",
            "",
            f"<!-- Written by `python -m benchmarks.peers --repeat {arguments.repeat}`. -->",
            conditions(),
            "",
            f"{', '.join(f'{tool} {version}' for tool, version in versions.items())}. Seconds of whole processes, medians of "
            f"{arguments.repeat}. anonypy and anonypyx: Mondrian, categories as pandas categories. anjana: full-domain "
            "generalization with the taxonomies of the 100-split problem, at most 5 % of the rows dropped.",
            "",
            "| tool | k | classes | rows dropped | DM | GCP | query error | seconds | processor seconds |",
            "|---|---|---|---|---|---|---|---|---|",
            *lines,
            "",
        ]
    )
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
