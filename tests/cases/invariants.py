"""The invariants that hold for every release, checked by SQL that shares no code with the package.

1. released rows + suppressed rows = source rows;
2. each source row lies in exactly one block (a suppressed row in none) and inside the label printed for it;
3. the release has the columns asked for and no others;
4. k, l and t, recomputed from the written release grouped by its quasi-identifiers, are as required;
5. nothing else was left in the database, in temp or beside the file (``Surroundings``);
6. the same release whatever the order of rows and columns, threads and entry point (``runner``);
7. no value of a suppressed row stands in the release.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from .naming import companion, literal, parts, quoted, source_of, taxonomy_of
from .printed_labels import WHOLE, calendar_unit, is_label_of_set, prefix_names, taxonomy_names


@dataclass(frozen=True)
class Measures:
    """What a release reaches: recomputed, never taken from the package. ``t`` is the equal distance to the source table."""

    unit: str
    rows: int
    suppressed: int
    sizes: list[int]
    k: int
    diversity: dict[str, int]
    distance: dict[str, Fraction]


def rows_of(connection: DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return connection.execute(query).fetchall()


def one(connection: DuckDBPyConnection, query: str) -> Any:
    """The single value of a query."""
    ((value,),) = rows_of(connection, query)
    return value


def dictionary_of(connection: DuckDBPyConnection, release: str) -> dict[str, Any]:
    """The dictionary in the comment of ``<release>_blocks``."""
    *schema, last = parts(release)
    where = f" AND schema_name = {literal(schema[-1])}" if schema else ""
    query = f"SELECT comment FROM duckdb_tables() WHERE table_name = {literal(last + '_blocks')}{where}"
    found: dict[str, Any] = json.loads(one(connection, query))
    return found


def check_release(connection: DuckDBPyConnection, problem: dict[str, Any]) -> Measures:
    """Check invariants 1 to 4 and 7 of the release that ``problem`` asked for; gives what was measured."""
    placed = _Placement(connection, problem)
    try:
        placed.check_balance()
        placed.check_labels()
        _check_columns(connection, problem)
        placed.check_suppressed_values()
        measures = _measure(connection, problem, placed)
        _check_constraints(problem, measures, placed)
    finally:
        placed.close()
    return measures


class _Placement:
    """Source rows beside the blocks whose published bounds and lists hold them, in the temp table ``case_placement``."""

    def __init__(self, connection: DuckDBPyConnection, problem: dict[str, Any]) -> None:
        self.connection = connection
        self.problem = problem
        self.release = problem["into"]
        self.blocks = companion(self.release)
        self.dictionary = dictionary_of(connection, self.release)
        self.attributes = self.dictionary["quasi_identifiers"]
        connection.execute(
            "CREATE TEMP TABLE case_source AS SELECT row_number() OVER () AS case_row, given.* "
            f"FROM (SELECT * FROM {source_of(problem['table'])}) AS given"
        )
        connection.execute(
            f"CREATE TEMP TABLE case_blocks AS SELECT row_number() OVER () AS case_block, given.* FROM {self.blocks} AS given"
        )
        within = " AND ".join(inside(attribute) for attribute in self.attributes)
        connection.execute(
            "CREATE TEMP TABLE case_placement AS SELECT case_row, case_block "
            f"FROM case_source AS s JOIN case_blocks AS b ON {within}"
        )

    def close(self) -> None:
        for table in ("case_source", "case_blocks", "case_placement"):
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")

    def check_balance(self) -> None:
        """Invariants 1 and 2."""
        count = quoted(self.dictionary["count"])
        double = one(
            self.connection, "SELECT count(*) FROM (SELECT case_row FROM case_placement GROUP BY case_row HAVING count(*) > 1)"
        )
        assert double == 0, f"{double} source rows lie in more than one block"
        wrong = rows_of(
            self.connection,
            f"SELECT b.*, count(p.case_row) FROM case_blocks b LEFT JOIN case_placement p USING (case_block) "
            f"GROUP BY ALL HAVING count(p.case_row) <> b.{count}"
            if self.dictionary["unit"] == "rows"
            else "SELECT 1 WHERE false",
        )
        assert not wrong, f"blocks whose count is not the number of their source rows: {wrong}"
        names = ", ".join(quoted(attribute["name"]) for attribute in self.attributes)
        released = f"SELECT {names}, count(*) AS rows FROM {self.release} GROUP BY {names}"
        labels = ", ".join("b." + quoted(attribute["label"]) for attribute in self.attributes)
        printed = f"SELECT {labels}, count(*) FROM case_blocks b JOIN case_placement USING (case_block) GROUP BY {labels}"
        for first, second in ((released, printed), (printed, released)):
            left_over = rows_of(self.connection, f"({first}) EXCEPT ALL ({second})")
            assert not left_over, f"release and blocks disagree on {left_over}"

    @property
    def suppressed(self) -> int:
        placed = "SELECT count(*) FROM case_source WHERE case_row NOT IN (SELECT case_row FROM case_placement)"
        return int(one(self.connection, placed))

    def check_labels(self) -> None:
        """The text of each interval label says what the typed bounds say, and `{…}` names each of its values."""
        for attribute in self.attributes:
            label = quoted(attribute["label"])
            if attribute["kind"] == "ordered":
                columns = f"{label}, {quoted(attribute['lower'])}::VARCHAR, {quoted(attribute['upper'])}::VARCHAR"
                for text, lower, upper in rows_of(self.connection, f"SELECT DISTINCT {columns} FROM case_blocks"):
                    self._check_interval(attribute, text, lower, upper)
            else:
                columns = f"{label}, {quoted(attribute['values'])}::VARCHAR[]"
                tree = self._tree(attribute)
                printed = rows_of(self.connection, f"SELECT DISTINCT {columns} FROM case_blocks")
                for text, values in printed:
                    said = is_label_of_set(text, values, tree)
                    assert said, f"label {text!r} of '{attribute['name']}' does not say its values {values}"
                assert len({text for text, _ in printed}) == len(printed), f"two regions share a label: {printed}"

    def _ways(self, attribute: dict[str, Any]) -> dict[str, Any]:
        """How the problem lets an attribute be generalized."""
        given = self.problem["quasi_identifiers"]
        ways: dict[str, Any] = next(given[name] for name in given if name.casefold() == attribute["name"].casefold())
        return ways

    def _tree(self, attribute: dict[str, Any]) -> Counter[str] | None:
        """How often each name occurs in the tree over a column's values; None where there is no tree."""
        ways = self._ways(attribute)
        if ways.get("unordered") or ways.get("order"):
            return None
        name = quoted(attribute["name"])
        found = rows_of(self.connection, f"SELECT DISTINCT {name}::VARCHAR FROM case_source WHERE {name} IS NOT NULL")
        values = {value for (value,) in found}
        if "taxonomy" in ways:
            rows = rows_of(self.connection, f"SELECT COLUMNS(*)::VARCHAR FROM {taxonomy_of(ways['taxonomy'])}")
            names = taxonomy_names(rows, values)
        elif ways.get("prefix"):
            names = prefix_names(values)
        elif len(values) <= 2:
            names = Counter([*values, WHOLE])
        else:
            return None
        names["NULL"] += one(self.connection, f"SELECT count(*) FROM case_source WHERE {name} IS NULL") > 0
        return names

    def _check_interval(self, attribute: dict[str, Any], text: str | None, lower: str | None, upper: str | None) -> None:
        if text is None or text in ("*", "* or NULL"):
            return
        bare = text.removesuffix(" or NULL")
        closed = re.fullmatch(r"(?:<= (?P<most>.+))|(?:\[(?P<least>.+), (?P<last>.+)\])", bare)
        if closed is not None:
            last = closed["most"] or closed["last"]
            self._check_closed_end(attribute, text, last, upper)
            bare = f"[{closed['least']}, {upper})" if closed["least"] else f"< {upper}"
        behind = re.fullmatch(r"> (?P<value>.+)", bare)
        if behind is not None:
            assert lower is not None, f"label {text!r} of '{attribute['name']}' begins, its lower bound is open"
            self._check_closed_end(attribute, text, behind["value"], lower)
            bare = f">= {lower}"
        kind = attribute["type"]
        found = re.fullmatch(r"(?:< (?P<below>.+))|(?:>= (?P<above>.+))|(?:\[(?P<a>.+), (?P<b>.+)\))", bare)
        unit = calendar_unit(bare, kind)
        if bare == "not NULL":
            claimed = ("NULL", "NULL")
        elif unit is not None:
            claimed = (f"DATE '{unit[0]}'", f"DATE '{unit[0]}' + INTERVAL '{unit[1]}'")
            zone = self._ways(attribute).get("timezone")
            if zone is not None:
                claimed = tuple(f"timezone({literal(zone)}, ({place})::TIMESTAMP)" for place in claimed)
        elif found is not None:
            ends = (found["above"] or found["a"], found["below"] or found["b"])
            claimed = tuple(f"{literal(end)}::{kind}" if end is not None else "NULL" for end in ends)
        else:
            claimed = (f"{literal(bare)}::{kind}", self._end_of_value(attribute, bare))
        for name, said, bound in (("lower", claimed[0], lower), ("upper", claimed[1], upper)):
            is_bound = f"{literal(bound)}::{kind}" if bound is not None else "NULL"
            same = one(self.connection, f"SELECT ({said})::{kind} IS NOT DISTINCT FROM {is_bound}")
            assert same, f"label {text!r} of '{attribute['name']}' does not say its {name} bound {bound}"

    def _end_of_value(self, attribute: dict[str, Any], value: str) -> str:
        """Where a value ends: whole numbers and dates before the next one (open after the last), others with themselves."""
        said = f"{literal(value)}::{attribute['type']}"
        return f"TRY({said} + 1)" if attribute["integral"] else said

    def _check_closed_end(self, attribute: dict[str, Any], text: str, last: str, upper: str | None) -> None:
        """A label `<= 7.25`, `[2.5, 7.25]` or `> 7.25` has the next value of the type as typed bound: nothing lies between."""
        assert upper is not None, f"label {text!r} of '{attribute['name']}' ends, its upper bound is open"
        said, bound = (f"{literal(value)}::{attribute['type']}" for value in (last, upper))
        value = quoted(attribute["name"])
        between = f"SELECT count(*) FROM case_source WHERE {value} > {said} AND {value} < {bound}"
        assert one(self.connection, f"SELECT {said} < {bound} AND ({between}) = 0"), f"{text!r} does not say its bound {upper}"

    def check_suppressed_values(self) -> None:
        """Invariant 7: a sensitive or kept value that only suppressed rows have stands nowhere in the release."""
        for column in (*self.problem.get("sensitive", ()), *self.problem.get("keep", ())):
            name = quoted(column)
            lost = rows_of(
                self.connection,
                f"SELECT DISTINCT {name}::VARCHAR FROM case_source WHERE {name} IS NOT NULL EXCEPT SELECT {name}::VARCHAR "
                "FROM case_source WHERE case_row IN (SELECT case_row FROM case_placement)",
            )
            published = published_text(self.connection, self.release)
            expected = self._levels() | self._released_beside(column)
            for (value,) in lost:
                released = one(self.connection, f"SELECT count(*) FROM {self.release} WHERE {name}::VARCHAR = {literal(value)}")
                assert released == 0, f"{value!r} of a suppressed row stands in the release"
                assert value not in self._distributed(column), f"{value!r} of a suppressed row stands in a distribution"
                # Numbers, JSON's own signs and nothing stand everywhere (tests/fuzz/test_suppressed_rows.py tells where from).
                everywhere = re.fullmatch(r"[-+\d.: ]*|[][{}(),:\"<>=*]+|true|false", value)
                if everywhere is None and value not in expected:
                    assert printed(value, published) is None, f"{value!r} of a suppressed row stands in what is handed out"

    def _distributed(self, column: str) -> set[str]:
        """The values that the blocks' distributions of a column name."""
        lists = [quoted(e["distribution"]) for e in self.dictionary["sensitive"] if e["name"].casefold() == column.casefold()]
        named = [
            rows_of(self.connection, f"SELECT DISTINCT unnest({each}).value::VARCHAR FROM {self.blocks}") for each in lists
        ]
        return {value for rows in named for (value,) in rows}

    def _released_beside(self, column: str) -> set[str]:
        """The values that the release has in other columns that stand there as they are."""
        others = [
            quoted(name) for name in (*self.problem.get("sensitive", ()), *self.problem.get("keep", ())) if name != column
        ]
        found = [rows_of(self.connection, f"SELECT DISTINCT {name}::VARCHAR FROM {self.release}") for name in others]
        return {value for rows in found for (value,) in rows}

    def _levels(self) -> set[str]:
        """The levels of the quasi-identifiers' ENUMs, which labels and lists may name whoever has them."""
        given = {name.casefold() for name in self.problem["quasi_identifiers"]}
        enums = [
            quoted(name)
            for name, kind, *_ in rows_of(self.connection, "DESCRIBE case_source")
            if kind.startswith("ENUM") and name.casefold() in given
        ]
        found = [
            rows_of(self.connection, f"SELECT DISTINCT unnest(enum_range({name}))::VARCHAR FROM case_source") for name in enums
        ]
        return {level for rows in found for (level,) in rows}


def inside(attribute: dict[str, Any]) -> str:
    """The condition that a source row ``s`` lies inside the region of block ``b``, from the published columns alone."""
    value = "s." + quoted(attribute["name"])
    if attribute["type"] in ("FLOAT", "DOUBLE"):
        value = f"(CASE WHEN isnan({value}) THEN NULL WHEN {value} = 0 THEN 0::{attribute['type']} ELSE {value} END)"
    if attribute["kind"] == "categorical":
        values = f"b.{quoted(attribute['values'])}::VARCHAR[]"
        holds_null = f"len({values}) > len(list_filter({values}, lambda v: v IS NOT NULL))"
        return f"(CASE WHEN {value} IS NULL THEN {holds_null} ELSE list_contains({values}, {value}::VARCHAR) END)"
    lower, upper = "b." + quoted(attribute["lower"]), "b." + quoted(attribute["upper"])
    closed = f"coalesce({lower} = {upper}, false)"
    last = (attribute.get("domain") or [None, None])[1]
    if last is not None and not attribute["integral"]:
        closed += f" OR {upper} = {literal(str(last))}::{attribute['type']}"
    bounds = f"coalesce({value} >= {lower}, true) AND coalesce({value} < {upper} OR ({value} = {upper} AND ({closed})), true)"
    if attribute.get("missing") is None:
        return f"({value} IS NOT NULL AND {bounds})"
    missing = "b." + quoted(attribute["missing"])
    return f"(CASE WHEN {value} IS NULL THEN {missing} <> 'no' ELSE {missing} <> 'only' AND {bounds} END)"


def _check_columns(connection: DuckDBPyConnection, problem: dict[str, Any]) -> None:
    """Invariant 3."""
    columns = [name.casefold() for name, *_ in rows_of(connection, f"DESCRIBE {problem['into']}")]
    asked = [*problem["quasi_identifiers"], *problem.get("sensitive", ()), *problem.get("keep", ())]
    for name in asked:
        assert name.casefold() in columns, f"column '{name}' is not in the release"
        columns.remove(name.casefold())
    if problem.get("typed_columns"):
        documented = {
            f"{name.casefold()}_{end}" for name in problem["quasi_identifiers"] for end in ("lower", "upper", "values")
        }
        columns = [name for name in columns if name.rstrip("_") not in documented]
    assert not columns, f"the release has columns nobody asked for: {columns}"


def _measure(connection: DuckDBPyConnection, problem: dict[str, Any], placed: _Placement) -> Measures:
    """Invariant 4's numbers, from the written release grouped by its quasi-identifier columns by name."""
    release = problem["into"]
    names = ", ".join(quoted(name) for name in problem["quasi_identifiers"])
    sizes = sorted(count for (count,) in rows_of(connection, f"SELECT count(*) FROM {release} GROUP BY {names}"))
    if placed.dictionary["unit"] == "persons":
        person = quoted(problem["person"])
        persons = f"SELECT count(DISTINCT {person}) FROM case_placement JOIN case_source USING (case_row) GROUP BY case_block"
        smallest = min(count for (count,) in rows_of(connection, persons))
    else:
        smallest = sizes[0]
    rows = sum(sizes)
    suppressed = placed.suppressed
    total = one(connection, "SELECT count(*) FROM case_source")
    assert rows + suppressed == total, f"{rows} released + {suppressed} suppressed are not the {total} source rows"
    diversity, distance = {}, {}
    for column in problem.get("sensitive", ()):
        name = quoted(column)
        found = rows_of(connection, f"SELECT count(DISTINCT {name}) FROM {release} GROUP BY {names}")
        diversity[column] = min(count for (count,) in found)
        distance[column] = _distance(connection, release, names, name)
    return Measures(placed.dictionary["unit"], rows, suppressed, sizes, smallest, diversity, distance)


def _distance(connection: DuckDBPyConnection, release: str, names: str, column: str) -> Fraction:
    """The largest equal distance between a block's distribution of ``column`` and the source table's, exactly."""
    whole = dict(rows_of(connection, f"SELECT {column}::VARCHAR, count(*) FROM case_source GROUP BY ALL"))
    blocks = rows_of(
        connection, f"SELECT list({column}::VARCHAR), count(*) FROM (SELECT {column}, {names} FROM {release}) GROUP BY {names}"
    )
    total = sum(whole.values())
    return max(
        sum(abs(Fraction(values.count(value), size) - Fraction(count, total)) for value, count in whole.items()) / 2
        for values, size in blocks
    )


def _check_constraints(problem: dict[str, Any], measures: Measures, placed: _Placement) -> None:
    """Invariant 4: what ``subject_to`` asks for and SQL can recompute in a line."""
    for text in problem.get("subject_to", ()):
        name, arguments = re.fullmatch(r"(\w+)\((.*)\)", text).groups()  # type: ignore[union-attr]
        first, *rest = [argument.strip().strip('"') for argument in arguments.split(",")]
        if name == "k_anonymity":
            assert measures.k >= int(first), f"k = {measures.k} in the release, {text} was required"
        elif name == "distinct_l_diversity":
            assert measures.diversity[rest[0]] >= int(first), f"l = {measures.diversity} in the release, {text} was required"
        elif name == "t_closeness" and "equal" in arguments:
            assert measures.distance[rest[0]] <= Fraction(first), f"t = {measures.distance} in the release, {text} was required"


def printed(word: str, text: str) -> re.Match[str] | None:
    """Where ``word`` stands in ``text`` as a word or number of its own (``103`` is not part of ``0.103``)."""
    return re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text)


def published_text(connection: DuckDBPyConnection, release: str) -> str:
    """Every cell of the release and its blocks as text, and all comments on them: what leaves the house."""
    pieces = []
    for table in (release, companion(release)):
        columns = ", ".join(f"({quoted(name)})::VARCHAR" for name, *_ in rows_of(connection, f"DESCRIBE {table}"))
        pieces += [str(cell) for row in rows_of(connection, f"SELECT {columns} FROM {table}") for cell in row]
    tables = ", ".join(literal(parts(release)[-1] + ending) for ending in ("", "_blocks"))
    for source in ("duckdb_tables()", "duckdb_columns()"):
        found = rows_of(connection, f"SELECT comment FROM {source} WHERE table_name IN ({tables})")
        pieces += [comment for (comment,) in found if comment]
    return "\n".join(pieces)


def fingerprint(connection: DuckDBPyConnection, release: str) -> list[list[tuple[Any, ...]]]:
    """Both tables of a release as sequences of rows with their column names, in the order in which they are read."""
    found = []
    for table in (release, companion(release)):
        columns = [(name,) for name, *_ in rows_of(connection, f"DESCRIBE {table}")]
        cells = ", ".join(f"({quoted(name)})::VARCHAR" for (name,) in columns)
        found.append(columns + rows_of(connection, f"SELECT {cells} FROM {table}"))
    return found


@dataclass(frozen=True)
class Surroundings:
    """Everything in a database, in temp and beside its file: what must be as before but for the release (invariant 5)."""

    objects: frozenset[tuple[str, ...]]
    files: frozenset[str]

    @classmethod
    def of(cls, connection: DuckDBPyConnection, folder: Path) -> Surroundings:
        """Look around."""
        objects: set[tuple[str, ...]] = set()
        for kind, name, where in (
            ("table", "table_name", "true"),
            ("view", "view_name", "NOT internal"),
            ("sequence", "sequence_name", "true"),
            ("index", "index_name", "true"),
            ("type", "type_name", "NOT internal"),
            ("function", "function_name", "NOT internal"),
            ("schema", "schema_name", "NOT internal"),
        ):
            query = f"SELECT {kind!r}, database_name, schema_name, {name} FROM duckdb_{kind}s() WHERE {where}"
            objects |= set(rows_of(connection, query.replace("indexs", "indexes")))
        files = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.name.endswith(".wal")}
        return cls(frozenset(objects), frozenset(files))

    def check(self, before: Surroundings, release: str | None) -> None:
        """Nothing is new but the release, its blocks, its macros and the owner's catalog; after a failure nothing at all."""
        new = set(self.objects - before.objects)
        gone = before.objects - self.objects
        if release is not None:
            last = parts(release)[-1]
            new = {entry for entry in new if entry[2] != "gensearch" and entry[3] not in (last, last + "_blocks")}
            new = {entry for entry in new if not (entry[0] == "function" and entry[3].startswith(last))}
        assert not new, f"left behind in the database: {sorted(new)}"
        assert not gone, f"gone from the database: {sorted(gone)}"
        assert self.files == before.files, f"left behind beside the database: {sorted(self.files - before.files)}"
