"""Random tables and random problems on them: every type, missing and extreme values, unicode, any mix of options."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
from hypothesis import strategies as st

from tests.cases.naming import quoted

from .columns import GENERALIZED, KINDS, REFUSED, declared_type
from .requirements import constraints, costs
from .searches import options_of
from .sensitive import Trees, as_field, sensitive_columns

WIDEST = 1e300
"""How far a column of floating-point numbers may reach."""

NAMES = st.sampled_from(
    [
        "age",
        "Town",
        'a "quoted" name',
        "select",
        "ünï",
        "count",
        "q.dot",
        "lower",
        "value_",
        "x y",
        "b",
        "c",
        "age_lower",
        "*",
        "'",
    ]
)


@dataclass(frozen=True)
class Grown:
    """How a large table is made of a small one: each cell is drawn anew, most often one of the first values.

    ``spread``: the columns (by position) of which half the cells are one of thousands of values.
    """

    rows: int
    seed: int
    spread: frozenset[int]


@dataclass(frozen=True)
class Case:
    """A table (column name, type, values) and the problem on it; ``trees`` are taxonomies by the names of their tables."""

    columns: tuple[tuple[str, str, tuple[Any, ...]], ...]
    problem: dict[str, Any]
    trees: Trees = field(default_factory=dict)
    grown: Grown | None = None

    @property
    def rows(self) -> int:
        return len(self.columns[0][2]) if self.grown is None else self.grown.rows

    @property
    def k(self) -> int:
        return int(self.problem["subject_to"][0].removeprefix("k_anonymity(").removesuffix(")"))

    @property
    def only_k(self) -> bool:
        """Whether any table of at least k rows must give a release: only k is asked, every attribute is split by default.

        A column wider than 1e300 is refused, whatever is asked, and so is a type that cannot be generalized.
        """
        asked = self.problem["quasi_identifiers"]
        plain = asked and all(not given for given in asked.values())
        numbers = [[value for value in values if isinstance(value, float) and value == value] for _, _, values in self.columns]
        wide = any(max(column) - min(column) > WIDEST for column in numbers if column)
        refused = any(KINDS[kind].refused for name, kind, _ in self.columns if name in asked)
        more = len(self.problem["subject_to"]) > 1 or {"minimize", "person", "memory_limit"} & set(self.problem)
        more = more or any(self.sensitive.values())  # a declaration may lack a value
        return bool(plain and not wide and not refused and not more)

    @property
    def sensitive(self) -> dict[str, dict[str, Any]]:
        """The sensitive columns, with what is declared of each."""
        named = self.problem.get("sensitive", [])
        return dict(named) if isinstance(named, dict) else {name: {} for name in named}

    def type_of(self, name: str) -> str:
        """The type of a column."""
        return next(kind for column, kind, _ in self.columns if column == name)

    def with_problem(self, **fields: Any) -> Case:
        """The same table with other fields of the problem; None takes a field away."""
        problem = {name: value for name, value in {**self.problem, **fields}.items() if value is not None}
        return replace(self, problem=problem)

    def create(self, connection: duckdb.DuckDBPyConnection, table: str = "src") -> None:
        """Make the table and its taxonomies."""
        small = table if self.grown is None else "small"
        definitions = ", ".join(f"{quoted(name)} {declared_type(kind)}" for name, kind, _ in self.columns)
        connection.execute(f"CREATE TABLE {small} ({definitions})")
        rows = list(zip(*(values for _, _, values in self.columns), strict=True))
        if rows:
            places = ", ".join("?" for _ in self.columns)
            connection.executemany(f"INSERT INTO {small} VALUES ({places})", [list(row) for row in rows])
        if self.grown is not None:
            self._grow(connection, self.grown, table)
        for tree, levels in self.trees.items():
            columns = ", ".join(f"level_{number} VARCHAR" for number in range(len(levels[0]) if levels else 2))
            connection.execute(f"CREATE TABLE {tree} ({columns})")
            if levels:
                connection.executemany(f"INSERT INTO {tree} VALUES ({', '.join('?' for _ in levels[0])})", levels)

    def _grow(self, connection: duckdb.DuckDBPyConnection, grown: Grown, table: str) -> None:
        pools = ", ".join(f"list({quoted(name)} ORDER BY rowid) AS pool_{n}" for n, (name, _, _) in enumerate(self.columns))
        cells = []
        for number, (name, kind, _) in enumerate(self.columns):
            chance = f"hash(i, {grown.seed}, {number}) % 65536 / 65536"
            cell = f"pool_{number}[1 + floor(pow({chance}, 3) * len(pool_{number}))::BIGINT]"
            spread = KINDS[kind].spread
            if number in grown.spread and spread is not None:
                other = spread.replace("h %", f"hash(i, {grown.seed}, {number}, 'spread') %")
                cell = f"CASE WHEN hash(i, {grown.seed}, {number}, 'which') % 2 = 0 THEN {cell} ELSE {other} END"
            cells.append(f"{cell} AS {quoted(name)}")
        connection.execute(
            f"CREATE TABLE {table} AS SELECT {', '.join(cells)} FROM range({grown.rows}) r(i), (SELECT {pools} FROM small)"
        )
        connection.execute("DROP TABLE small")

    def shuffled(self, order: Any) -> Case:
        """The same rows in another order, the columns reversed."""
        places = list(range(len(self.columns[0][2])))
        order.shuffle(places)
        columns = tuple((name, kind, tuple(values[place] for place in places)) for name, kind, values in self.columns[::-1])
        return replace(self, columns=columns)


@st.composite
def cases(draw: st.DrawFn, *, most_rows: int = 25, most_attributes: int = 3, refused: bool = False) -> Case:
    """A random small table with a random problem. ``refused``: now and then no attribute, or one that cannot be generalized."""
    refused = refused and draw(st.integers(0, 9)) == 9
    attributes = draw(st.integers(0 if refused else 1, most_attributes))
    names = draw(st.lists(NAMES, min_size=attributes, max_size=attributes, unique_by=str.casefold))
    rows = draw(st.integers(0, most_rows))
    columns: list[tuple[str, str, tuple[Any, ...]]] = []
    quasi_identifiers: dict[str, Any] = {}
    trees: Trees = {}
    for name in names:
        kind = KINDS[draw(st.sampled_from(GENERALIZED + (REFUSED if refused else [])))]
        few = draw(st.lists(kind.values, min_size=1, max_size=6))
        cell = st.one_of(st.sampled_from(few), st.none()) if draw(st.booleans()) else st.sampled_from(few)
        columns.append((name, kind.type, tuple(draw(st.lists(cell, min_size=rows, max_size=rows)))))
        ways = draw(st.sampled_from(kind.ways))
        if kind.categories and draw(st.integers(0, 3)) == 0:
            ways = _declared(draw, [str(value) for value in few], f"tree_{len(trees)}", trees)
        quasi_identifiers[name] = ways
    sensitive = draw(sensitive_columns(trees))
    for each in sensitive:
        cells = st.lists(st.sampled_from(each.values), min_size=rows, max_size=rows)
        columns.append((each.name, each.type, tuple(draw(cells))))
    columns.append(("who", "INTEGER", tuple(draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows)))))
    kept = KINDS[draw(st.sampled_from(["INTEGER", *REFUSED]))]
    columns.append(("kept", kept.type, tuple(draw(st.lists(kept.values | st.none(), min_size=rows, max_size=rows)))))
    problem: dict[str, Any] = {
        "table": "src",
        "into": "rel",
        "quasi_identifiers": quasi_identifiers,
        "sensitive": as_field(sensitive),
        "subject_to": [f"k_anonymity({draw(st.integers(1, 6))})"],
        "strategy": draw(st.sampled_from(["mondrian", "mondrian_steepest", "block_graph", "enumeration"])),
        "node_limit": draw(st.sampled_from([1, 20, 200, 200, 2000])),
    }
    options = _options(draw, [each.name for each in sensitive])
    problem["subject_to"] += options.pop("more", [])
    problem |= options
    if draw(st.integers(1, 6)) == 6 and "stop_within" not in problem:
        problem["options"] = draw(options_of(problem["strategy"]))
    if problem["strategy"] == "enumeration" and draw(st.booleans()):
        problem |= {"statistics": "sql", "node_limit": min(problem["node_limit"], 50)}  # a statement for each node
    return Case(tuple(columns), problem, trees)


def _options(draw: st.DrawFn, sensitive: list[str]) -> dict[str, Any]:
    """Fields of a problem that may be left out, most of them left out most of the time."""
    fields: dict[str, Any] = {}

    def sometimes(name: str, values: st.SearchStrategy[Any], one_in: int = 4) -> None:
        if draw(st.integers(1, one_in)) == one_in:
            fields[name] = draw(values)

    sometimes("more", constraints(sensitive), 2)
    sometimes("minimize", costs(), 2)
    sometimes("typed_columns", st.just(True), 2)
    sometimes("suppress_at_most", st.sampled_from([1, 5, 12.5, 20, 33.4, 100]))
    sometimes("labels", st.just("values"))
    sometimes("stop_within", st.sampled_from([1.05, 1.5, 10.0]), 8)
    sometimes("memory_limit", st.sampled_from([1, 8, 64]), 8)
    sometimes("threads", st.integers(1, 3), 8)
    sometimes("person", st.just("who"), 8)
    if "person" not in fields:
        sometimes("keep", st.sampled_from([["who"], ["kept"], ["kept", "who"]]), 4)
    return fields


def _declared(draw: st.DrawFn, values: list[str], table: str, trees: Trees) -> dict[str, Any]:
    """An order, or a taxonomy of two levels, over the values; sometimes one value is forgotten."""
    known = list(dict.fromkeys(values))
    if draw(st.integers(0, 9)) == 0:
        known.pop()
    known = draw(st.permutations([*known, draw(st.sampled_from(["77", "not in the table"]))]))
    if draw(st.booleans()):
        return {"order": known}
    groups = draw(st.lists(st.sampled_from(["g", "h", "a"]), min_size=len(known), max_size=len(known)))
    trees[table] = [(value, group, "all") for value, group in zip(known, groups, strict=True)]
    return {"taxonomy": table, "relaxed": True} if draw(st.booleans()) else {"taxonomy": table}


@st.composite
def large_cases(draw: st.DrawFn) -> Case:
    """A table of up to 100,000 rows, most often far fewer, with up to 12 attributes (few with many rows)."""
    attributes = draw(st.sampled_from([1, 2, 3, 4, 6, 9, 12]))
    case = draw(cases(most_attributes=attributes))
    most = 100_000 if attributes <= 4 else 20_000 if attributes <= 6 else 2_000
    rows = min(most, draw(st.sampled_from([26, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000])))
    return draw(grown(case, rows)) if case.rows else case


@st.composite
def grown(draw: st.DrawFn, case: Case, rows: int) -> Case:
    """The same problem on a table of so many rows, made of the rows of a small one."""
    seed = draw(st.integers(0, 10**6))
    # A spread column has other values than an order, a taxonomy or a domain names.
    open_ended = [
        number
        for number, (name, kind, _) in enumerate(case.columns)
        if name in case.problem["quasi_identifiers"]
        and not {"order", "taxonomy", "domain", "unordered"} & set(case.problem["quasi_identifiers"][name])
        and KINDS[kind].spread is not None
    ]
    spread = frozenset(draw(st.lists(st.sampled_from(open_ended), unique=True))) if open_ended else frozenset()
    k = draw(st.sampled_from([1, 2, 5, 50]))
    subject_to = [f"k_anonymity({max(k, rows // 300)})", *case.problem["subject_to"][1:]]
    return replace(case.with_problem(subject_to=subject_to, stop_after=5), grown=Grown(rows, seed, spread))


def other_ways(case: Case, name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Another way to generalize a column of a case."""
    kind = next(kind for column, kind, _ in case.columns if column == name)
    return st.sampled_from([*KINDS[kind].ways, case.problem["quasi_identifiers"][name]])
