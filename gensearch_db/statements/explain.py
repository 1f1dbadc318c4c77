"""EXPLAIN ANONYMIZE: what a search would face. The cells are counted, in temporary tables; nothing is written."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any, cast

from gensearch_db.anonymization import prepare_search, search_problem
from gensearch_db.cost.cost import Cost
from gensearch_db.database.prepared import PreparedTable
from gensearch_db.database.session import Session
from gensearch_db.domain.attribute import Attribute, OrderedAttribute, RelaxedTaxonomyAttribute, TaxonomyAttribute
from gensearch_db.domain.counting import count_boxes, count_partitions
from gensearch_db.errors import InfeasibleError, SpecificationError
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.feasibility import check_whole_table
from gensearch_db.problem.problem import Problem

COUNTED_TERMS = 100_000
"""Work spent on counting partitions exactly: a second or two."""
BLOCKS_PER_SECOND = 100_000
"""A cautious pace of the block graph, for the time to expect."""
BYTES_PER_BLOCK = 33
"""What the block graph remembers of a block, beside 8 bytes per attribute; its table is at most half full."""


@dataclass(frozen=True)
class Finding:
    """One line of the explanation: ``topic`` (append-only names), what it is about, and what was found."""

    topic: str
    subject: str | None
    text: str


class _Recorder:
    """A DuckDB connection that notes the statements it runs."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.statements: list[str] = []

    def execute(self, sql: str, parameters: Any = None) -> Any:
        """Note the statement and run it."""
        self.statements.append(str(sql))
        return self._engine.execute(sql, parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


def explain(session: Session, problem: Problem, *, replace: bool = False) -> list[Finding]:
    """The findings, in the order in which a search meets them. Raises what ANONYMIZE would raise before its search, but for
    constraints that cannot be met: those are findings."""
    recorder = _Recorder(session.connection)
    started = time.perf_counter()
    with Session(cast(Any, recorder)) as recorded:
        prepared, constraints, cost = prepare_search(recorded, problem, replace=replace)
        with prepared:
            seconds = time.perf_counter() - started
            findings = [Finding("attribute", attribute.name, _split_set(attribute)) for attribute in prepared.space.attributes]
            findings += _space(prepared, problem)
            findings += [_constraint(prepared, constraint, problem.suppress_at_most) for constraint in constraints]
            search_problem(prepared, constraints, cost)
            findings += [
                Finding("cost", None, _cost(prepared, cost)),
                Finding("memory", None, _memory(prepared, problem)),
                Finding("time", None, _time(prepared, problem, seconds)),
            ]
    run = [text for text in recorder.statements if "gensearch_" in text and "DROP TABLE" not in text]
    return findings + [Finding("sql", f"statement {number}", text.strip()) for number, text in enumerate(run, start=1)]


def _space(prepared: PreparedTable, problem: Problem) -> list[Finding]:
    unit = "persons" if problem.person is not None else "rows"
    return [
        Finding("rows", None, f"{prepared.cells.row_count:,}"),
        Finding("cells", None, f"{prepared.cells.cell_count:,} combinations of leaf values occur"),
        Finding("blocks", None, f"{_counted(count_boxes(prepared.space))} possible blocks (the size of the block graph)"),
        Finding("partitions", None, _partitions(prepared)),
        Finding("largest k", None, f"{prepared.table.statistics.size:,} {unit}: the whole table as one block"),
    ]


def _split_set(attribute: Attribute) -> str:
    leaves = f"{attribute.leaf_count:,} leaf value{'' if attribute.leaf_count == 1 else 's'}"
    missing = ", one of them for missing values" if any(leaf.missing for leaf in attribute.leaves) else ""
    if isinstance(attribute, OrderedAttribute):
        return f"ordered: {leaves}{missing}, {attribute.leaf_count - 1:,} splits"
    if isinstance(attribute, TaxonomyAttribute):
        inner = sum(bool(node.children) for node in attribute.taxonomy.nodes)
        relaxed = "relaxed taxonomy" if isinstance(attribute, RelaxedTaxonomyAttribute) else "taxonomy"
        return f"{relaxed}: {leaves}{missing}, {inner:,} nodes that split"
    return f"unordered: {leaves}{missing}, {2 ** (attribute.leaf_count - 1) - 1:,} splits of the whole"


def _partitions(prepared: PreparedTable) -> str:
    try:
        count = count_partitions(prepared.space, most_terms=COUNTED_TERMS)
    except SpecificationError:
        return "too many to count here (see blocks: each partition is made of those)"
    return f"{_counted(count)} hierarchical partitions"


def _counted(count: int) -> str:
    """A count in full where it is of up to 30 digits: Python refuses to write out those of thousands."""
    digits = int(math.log10(count)) + 1
    leading = count // 10 ** (digits - 6) if digits > 30 else count
    return f"{count:,}" if digits <= 30 else f"about {leading // 10**5}.{leading % 10**5:05} * 10^{digits - 1}"


def _float(count: int) -> float:
    """A count as a float; infinite beyond them."""
    return float(count) if count.bit_length() < sys.float_info.max_exp else math.inf


def _constraint(prepared: PreparedTable, constraint: Constraint, suppress_at_most: float) -> Finding:
    table = prepared.table
    try:
        check_whole_table(table, (constraint,), suppress_at_most)
    except InfeasibleError as error:
        return Finding("constraint", constraint.describe(), str(error))
    root = table.space.root
    reached = constraint.reached(table.statistics, root, table)
    if constraint.holds(table.statistics, root, table):
        return Finding("constraint", constraint.describe(), f"can be met: the whole table as one block reaches {reached:.6g}")
    return Finding(
        "constraint",
        constraint.describe(),
        f"the whole table as one block reaches {reached:.6g}, which does not meet it; smaller blocks may, the search will tell",
    )


def _cost(prepared: PreparedTable, cost: Cost) -> str:
    whole = cost.of_block(prepared.table.statistics, prepared.table.space.root, prepared.table)
    return f"{cost.describe()}: {whole:,.10g} for the whole table as one block"


def _memory(prepared: PreparedTable, problem: Problem) -> str:
    attributes = len(prepared.space.attributes)
    cells = prepared.cells.cell_count * (8 * attributes + 16) / 1e6
    remembered = 2 * _float(count_boxes(prepared.space)) * (BYTES_PER_BLOCK + 8 * attributes) / 1e6
    at_most = f"{remembered:,.1f}" if remembered < 1e12 else f"{remembered:.2g}"
    limit = f", never more than MEMORY LIMIT {problem.memory_limit} MB" if problem.memory_limit is not None else ""
    return f"cells about {cells:,.1f} MB; remembered blocks at most {at_most} MB if all were visited{limit}"


def _time(prepared: PreparedTable, problem: Problem, seconds: float) -> str:
    all_blocks = _float(count_boxes(prepared.space)) / BLOCKS_PER_SECOND
    return (
        f"counting the cells took {seconds:.2f} s; the search ends after {problem.stop_after:g} s at the latest, and after "
        f"about {all_blocks:,.2g} s if it had to look at every block at {BLOCKS_PER_SECOND:,} a second"
    )
