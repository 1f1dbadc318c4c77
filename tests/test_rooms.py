"""Rooms depend on each other in one direction only, and those that think know no engine."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "gensearch_db"
WITHOUT_ENGINE = ("domain", "problem", "privacy", "cost", "search")


def imported(path: Path) -> set[str]:
    """The modules that a file names in its imports, wherever these stand; what is imported from one is named too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides where it goes"
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def rooms() -> dict[str, set[str]]:
    """For each room, and each module beside the rooms, the others of them that it uses."""
    uses: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        used = {module.split(".")[1] for module in imported(path) if module.startswith("gensearch_db.")}
        uses.setdefault(room, set()).update(used - {room})
    return uses


def test_no_two_rooms_depend_on_each_other_in_a_circle() -> None:
    uses = rooms()
    assert "database" in uses["statements"]
    order = list(TopologicalSorter(uses).static_order())  # raises CycleError where there is a circle
    assert order.index("problem") < order.index("search") < order.index("database") < order.index("statements")


@pytest.mark.parametrize("room", WITHOUT_ENGINE)
def test_rooms_that_know_no_engine(room: str) -> None:
    assert rooms()[room].isdisjoint({"database", "count_queries", "statements", "cli"})
    modules = {module.split(".")[0] for path in (PACKAGE / room).rglob("*.py") for module in imported(path)}
    assert modules.isdisjoint({"duckdb", "pyspark"})
