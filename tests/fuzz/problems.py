"""Random tables and random problems on them: every type, missing and extreme values, unicode, any mix of options."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import duckdb
from hypothesis import strategies as st

from tests.cases.naming import quoted

KINDS: dict[str, tuple[st.SearchStrategy[Any], list[dict[str, Any]]]] = {
    "INTEGER": (
        st.one_of(st.integers(-5, 30), st.sampled_from([-(2**31), 2**31 - 1])),
        [{}, {"split": "anywhere"}, {"split": "4 quantiles"}, {"split": "at 3, 10"}, {"split": "every 7"}],
    ),
    "BIGINT": (st.one_of(st.integers(-5, 30), st.sampled_from([-(2**63), 2**63 - 1])), [{}, {"split": "anywhere"}]),
    "HUGEINT": (st.one_of(st.integers(-5, 30), st.sampled_from([-(2**127), 2**127 - 1])), [{}, {"split": "anywhere"}]),
    "DOUBLE": (
        st.one_of(st.floats(allow_infinity=False), st.sampled_from([0.0, -0.0, 0.1, 1e308, 5e-324])),
        [{}, {"split": "anywhere"}, {"split": "3 quantiles"}],
    ),
    "DECIMAL(18,3)": (st.decimals(-1000, 1000, places=3), [{}, {"split": "anywhere"}, {"split": "every 0.5"}]),
    "VARCHAR": (
        st.one_of(st.sampled_from(["", " ", "NULL", "*", "a", "A", "ä", "a'b", "{a, b}", "[1, 2)"]), st.text(max_size=4)),
        [{}, {"unordered": True}, {"order": True}, {"prefix": True}],
    ),
    "BOOLEAN": (st.booleans(), [{}]),
    "DATE": (
        st.one_of(st.dates(datetime.date(2020, 1, 1), datetime.date(2022, 12, 31)), st.dates()),
        [{}, {"split": "anywhere"}, {"split": "every year"}],
    ),
    "TIMESTAMP": (
        st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)),
        [{}, {"split": "every year"}],
    ),
}
"""Per column type: its values, and the ways in which it may be generalized."""

WIDEST = 1e300
"""How far a column of floating-point numbers may reach."""

NAMES = st.sampled_from(
    ["age", "Town", 'a "quoted" name', "select", "ünï", "count", "q.dot", "lower", "value_", "x y", "b", "c"]
)


@dataclass(frozen=True)
class Case:
    """A table (column name, type, values) and the problem on it."""

    columns: tuple[tuple[str, str, tuple[Any, ...]], ...]
    problem: dict[str, Any]

    @property
    def rows(self) -> int:
        return len(self.columns[0][2])

    @property
    def k(self) -> int:
        return int(self.problem["subject_to"][0].removeprefix("k_anonymity(").removesuffix(")"))

    @property
    def only_k(self) -> bool:
        """Whether any table of at least k rows must give a release: only k is asked, every attribute is split by default.

        A column wider than 1e300 is refused, whatever is asked.
        """
        plain = all(not given for given in self.problem["quasi_identifiers"].values())
        numbers = [[value for value in values if isinstance(value, float) and value == value] for _, _, values in self.columns]
        wide = any(max(column) - min(column) > WIDEST for column in numbers if column)
        return plain and not wide and len(self.problem["subject_to"]) == 1

    def create(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make the table ``src``."""
        definitions = ", ".join(f"{quoted(name)} {kind}" for name, kind, _ in self.columns)
        connection.execute(f"CREATE TABLE src ({definitions})")
        rows = list(zip(*(values for _, _, values in self.columns), strict=True))
        if rows:
            places = ", ".join("?" for _ in self.columns)
            connection.executemany(f"INSERT INTO src VALUES ({places})", [list(row) for row in rows])


@st.composite
def cases(draw: st.DrawFn, *, most_rows: int = 25, most_attributes: int = 3) -> Case:
    """A random table with a random problem."""
    attributes = draw(st.integers(1, most_attributes))
    names = draw(st.lists(NAMES, min_size=attributes, max_size=attributes, unique_by=str.casefold))
    rows = draw(st.integers(0, most_rows))
    columns, quasi_identifiers = [], {}
    for name in names:
        kind = draw(st.sampled_from(sorted(KINDS)))
        values, ways = KINDS[kind]
        few = draw(st.lists(values, min_size=1, max_size=6))
        cell = st.one_of(st.sampled_from(few), st.none()) if draw(st.booleans()) else st.sampled_from(few)
        columns.append((name, kind, tuple(draw(st.lists(cell, min_size=rows, max_size=rows)))))
        quasi_identifiers[name] = draw(st.sampled_from(ways))
    illness = tuple(draw(st.lists(st.sampled_from(["flu", "hiv", "", None, "x'y"]), min_size=rows, max_size=rows)))
    columns.append(("illness", "VARCHAR", illness))
    problem: dict[str, Any] = {
        "table": "src",
        "into": "rel",
        "quasi_identifiers": quasi_identifiers,
        "sensitive": ["illness"],
        "subject_to": [f"k_anonymity({draw(st.integers(1, 6))})"],
        "strategy": draw(st.sampled_from(["mondrian", "mondrian_steepest", "block_graph", "enumeration"])),
        "node_limit": 200,
    }
    if draw(st.booleans()):
        problem["subject_to"].append(
            draw(st.sampled_from(["distinct_l_diversity(2, illness)", "t_closeness(0.5, illness, equal)"]))
        )
    if draw(st.booleans()):
        problem["typed_columns"] = True
    if draw(st.integers(0, 3)) == 0:
        problem["suppress_at_most"] = 20
    if draw(st.integers(0, 3)) == 0:
        problem["labels"] = "values"
    return Case(tuple(columns), problem)
