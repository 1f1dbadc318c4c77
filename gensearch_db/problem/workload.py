"""What a cost says of the workload whose counts a release shall answer well: a file of queries, or queries to draw."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gensearch_db.problem.arguments import Arguments, written
from gensearch_db.problem.calls import Name, plain

USAGE = "count_error('queries.sql') or count_error(queries = 600, predicates = '1 to 4', seed = 1)"
DRAWING = ("queries", "predicates", "selectivity", "seed")


@dataclass(frozen=True)
class WorkloadFile:
    """Count queries in a ``.sql`` file, or a bundled workload by its name."""

    source: str

    def describe(self) -> str:
        """As an argument of a call."""
        bare = written(self.source)
        return bare if not bare.startswith('"') else "'" + self.source.replace("'", "''") + "'"


@dataclass(frozen=True)
class DrawnWorkload:
    """Random conjunctions: how many, of how many predicates (drawn evenly between two numbers), which share of the space each
    covers, and the seed: the same table and seed give the same queries."""

    queries: int
    least_predicates: int = 1
    most_predicates: int = 3
    selectivity: Fraction = Fraction(1, 10)
    seed: int = 0

    def describe(self) -> str:
        """As the arguments of a call."""
        sizes = f"{self.least_predicates} to {self.most_predicates}"
        return f"queries = {self.queries}, predicates = '{sizes}', selectivity = {plain(self.selectivity)}, seed = {self.seed}"


WorkloadSource = WorkloadFile | DrawnWorkload


def workload_source(arguments: Arguments) -> WorkloadSource:
    """Read the parameters ``file``, or those of :data:`DRAWING`. Raises :class:`SpecificationError`."""
    file = arguments.name("file")
    given = [name for name in DRAWING if name in arguments.values]
    if file is not None:
        if given:
            raise arguments.fail(f"a file holds its own queries, so {given[0]} cannot be given beside it")
        return WorkloadFile(file)
    if "queries" not in arguments.values:
        raise arguments.fail("name a file of count queries, or say how many queries to draw")
    selectivity = arguments.number("selectivity", above=0, default=DrawnWorkload.selectivity)
    if selectivity > 1:
        raise arguments.fail("selectivity is a share of the space and must be at most 1")
    least, most = _predicates(arguments)
    return DrawnWorkload(
        arguments.whole("queries", least=1), least, most, selectivity, arguments.whole("seed", least=0, default=0)
    )


def _predicates(arguments: Arguments) -> tuple[int, int]:
    """``2``, ``'2'``, or ``'1 to 4'``."""
    value = arguments.values.get("predicates")
    if value is None:
        return DrawnWorkload.least_predicates, DrawnWorkload.most_predicates
    if isinstance(value, Fraction):
        number = arguments.whole("predicates", least=1)
        return number, number
    text = value.text if isinstance(value, Name) else value
    first, _, last = text.partition(" to ") if " to " in text else (text, "", text)
    if not first.strip().isdigit() or not last.strip().isdigit() or not 1 <= int(first) <= int(last):
        raise arguments.fail(f"predicates must be a number or a range like '1 to 4', not '{text}'")
    return int(first), int(last)
