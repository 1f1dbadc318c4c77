"""Estimates where numbers are so large, so small or so near to each other that widths are lost, and where ends are open.

Held to a model of its own: conditions are trees that are evaluated here, in SQL's three-valued logic and in exact fractions, on
every piece of every block between two constants.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.count_queries import estimate, estimate_macro, estimate_sql
from tests.count_queries.fixtures import categorical, make_release, ordered, sensitive

MOST = sys.float_info.max
FAR = 7.836371119527436e235
REALS = (
    -MOST, -1e308, -FAR, -1e16, -2.0, -1.0, -5e-324, 0.0, 5e-324, 1e-300, 0.9999999999999999, 1.0, 2.0, 3.5, 1e16, FAR,
    math.nextafter(FAR, math.inf), 1e300, 1e308, math.nextafter(MOST, 0), MOST,
)  # fmt: skip
WHOLES = (-(2**63), -(2**63) + 1, -3, 0, 1, 2, 7, 10, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1)
COLUMNS = [ordered("f", "DOUBLE", missing=True), ordered("i", "BIGINT", missing=True), categorical("c"), sensitive("ill")]
TYPES = {"f": REALS, "i": WHOLES}

Value = Any
Region = tuple[Any, Any, str]


@dataclass(frozen=True)
class Condition:
    """A condition as SQL, its truth for a tuple (by column; None: unknown), and its constants by column."""

    sql: str
    truth: Callable[[dict[str, Value]], bool | None]
    constants: tuple[tuple[str, Value], ...] = ()


def compared(column: str, operator: str, constant: Any) -> Condition:
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    written = f"'{constant!r}'" if column in TYPES else f"'{constant}'"

    def truth(place: dict[str, Value]) -> bool | None:
        value = place[column]
        return None if value is None else tests[operator](value, constant)

    return Condition(f"{column} {operator} {written}", truth, ((column, constant),))


def missing(column: str) -> Condition:
    return Condition(f"{column} IS NULL", lambda place: place[column] is None)


def negated(part: Condition) -> Condition:
    def truth(place: dict[str, Value]) -> bool | None:
        found = part.truth(place)
        return None if found is None else not found

    return Condition(f"NOT ({part.sql})", truth, part.constants)


def joined(first: Condition, word: str, second: Condition) -> Condition:
    decisive = word == "OR"

    def truth(place: dict[str, Value]) -> bool | None:
        found = (first.truth(place), second.truth(place))
        return decisive if decisive in found else None if None in found else not decisive

    return Condition(f"({first.sql} {word} {second.sql})", truth, first.constants + second.constants)


OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
LEAVES = st.one_of(
    st.builds(compared, st.just("f"), OPERATORS, st.sampled_from(REALS)),
    st.builds(compared, st.just("i"), OPERATORS, st.sampled_from(WHOLES)),
    st.builds(compared, st.just("c"), OPERATORS, st.sampled_from("xyz")),
    st.builds(compared, st.just("ill"), OPERATORS, st.sampled_from(["flu", "hiv"])),
    st.sampled_from(["f", "i", "c", "ill"]).map(missing),
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.builds(joined, inner, st.sampled_from(["AND", "OR"]), inner), st.builds(negated, inner)),
    max_leaves=6,
)


@st.composite
def regions(draw: st.DrawFn, values: Sequence[Any], *, whole: bool) -> Region:
    """An interval with open ends or without, a single value or nothing known; NULL may lie beside it."""
    held = draw(st.sampled_from(["no", "no", "possible", "only"]))
    if held == "only":
        return None, None, held
    low, high = sorted(draw(st.lists(st.sampled_from(values), min_size=2, max_size=2, unique=True)))
    ends = draw(st.sampled_from(["both", "lower", "upper", "none", "point"]))
    if ends == "point":
        return low, low + 1 if whole else low, held
    return low if ends in ("both", "lower") else None, high if ends in ("both", "upper") else None, held


BLOCKS = st.lists(
    st.builds(
        lambda f, i, c, ill: {"f": f, "i": i, "c": c, "ill": ill, "count": sum(ill.values())},
        regions(REALS, whole=False),
        regions(WHOLES, whole=True),
        st.lists(st.sampled_from(["x", "y", None]), min_size=1, max_size=2, unique=True),
        st.dictionaries(st.sampled_from(["flu", "hiv", None]), st.integers(1, 3), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=3,
)


def outwards(value: Any, width: Any, direction: int) -> Any:
    """As far out as the width, at least to the next number, and a finite one."""
    if isinstance(value, int):
        return value + direction * width
    moved = value + direction * width
    moved = math.nextafter(value, direction * math.inf) if moved == value else moved
    return max(-MOST, min(MOST, moved))


def filled(region: Region, published: Sequence[Any], constants: Sequence[Any]) -> tuple[Any, Any]:
    """The ends of an interval, open ones placed as docs/count_queries.md says."""
    lower, upper, _ = region
    if len(published) > 1:
        outer = (
            outwards(published[0], published[1] - published[0], -1),
            outwards(published[-1], published[-1] - published[-2], 1),
        )
        return outer[0] if lower is None else lower, outer[1] if upper is None else upper
    places = [*published, *constants] or [0]
    low, high = min(places), max(places)
    width = high - low or 1
    behind = high + 1 if isinstance(high, int) else high
    first, last = outwards(low, width, -1), outwards(behind, width, 1)
    return first if lower is None else lower, last if upper is None else upper


def pieces(region: Region, ends: tuple[Any, Any], constants: Sequence[Any], *, whole: bool) -> Iterator[tuple[Value, Fraction]]:
    """A value of each piece that the region may hold, and the piece's probability."""
    lower, upper, held = region
    if held == "only":
        yield None, Fraction(1)
        return
    first, last = (Fraction(end) for end in ends)
    known = [Fraction(constant) for constant in constants]
    cuts = sorted({first, last, *known, *((cut + 1 for cut in known) if whole else ())})
    cuts = [cuts[0] - 2, *cuts, cuts[-1] + 2]
    alone = first == last
    size = last - first + (1 if whole and held == "possible" else 0)
    share = Fraction(1, 2) if alone and held == "possible" else Fraction(1)
    if held == "possible":
        yield None, share if alone else Fraction(1) / size if whole else Fraction(0)
    for start, end in pairwise(cuts):
        weighs = first <= start and end <= last
        if whole:
            found = [(start, (end - start) / size if weighs else Fraction(0))]
        else:
            found = [(start, share if alone and start == first else Fraction(0))]
            found.append(((start + end) / 2, (end - start) / size if weighs else Fraction(0)))
        for value, probability in found:
            above = lower is None or value >= lower
            if above and (upper is None or value < upper or value == lower == upper):
                yield value, probability


@dataclass
class Expected:
    """What the model says of a condition: expectation, variance, and how many tuples satisfy it at least and at most.

    The variance of a block is the largest within its bounds where it depends on ends that nothing published places. Whether it
    does is asked of the block (``variance``) and of the condition as a whole (``most_variance``): either will do.
    """

    estimate: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    most_variance: Fraction = Fraction(0)
    lower: int = 0
    upper: int = 0

    def add(self, block: Expected, guessed: bool, ever_guessed: bool) -> None:
        """Count a block in."""
        largest = (block.upper - block.estimate) * (block.estimate - block.lower)
        self.estimate += block.estimate
        self.variance += largest if guessed else block.variance
        self.most_variance += largest if ever_guessed else block.variance
        self.lower += block.lower
        self.upper += block.upper


def beside(value: Any) -> tuple[Any, Any, Any]:
    """A value and those next to it."""
    if isinstance(value, int):
        return value - 1, value, value + 1
    return math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)


def depends(condition: Condition, column: str, places: Mapping[str, Sequence[Value]]) -> bool:
    """Whether the truth of a condition changes with the value of a column, the others being the same."""
    others = {name: values for name, values in places.items() if name != column}
    return any(
        len({condition.truth(dict(zip(others, rest, strict=True)) | {column: value}) is True for value in places[column]}) > 1
        for rest in product(*others.values())
    )


def expectation(blocks: Sequence[dict[str, Any]], condition: Condition) -> Expected:
    answer = Expected()
    constants = {name: [value for column, value in condition.constants if column == name] for name in TYPES}
    published = {
        name: sorted({end for block in blocks for end in block[name][:2] if end is not None}) for name in TYPES
    }  # fmt: skip
    anywhere = {name: [*(near for one in constants[name] for near in beside(one)), None] for name in TYPES} | {
        "c": ["x", "y", "z", None], "ill": ["flu", "hiv", None],
    }  # fmt: skip
    for block in blocks:
        places: dict[str, list[tuple[Value, Fraction]]] = {}
        for name in TYPES:
            ends = filled(block[name], published[name], constants[name]) if block[name][2] != "only" else (0, 0)
            places[name] = list(pieces(block[name], ends, constants[name], whole=name == "i"))
        places["c"] = [(value, Fraction(1, len(block["c"]))) for value in block["c"]]
        of_block = Expected()
        for ill, count in block["ill"].items():
            share, always, ever = Fraction(0), True, False
            for chosen in product(*places.values()):
                tuple_ = dict(zip(places, (value for value, _ in chosen), strict=True)) | {"ill": ill}
                if condition.truth(tuple_):
                    share += math.prod((probability for _, probability in chosen), start=Fraction(1))
                    ever = True
                else:
                    always = False
            of_block.estimate += count * share
            of_block.variance += count * share * (1 - share)
            of_block.lower += count * always
            of_block.upper += count * ever
        open_ = [n for n in TYPES if len(published[n]) < 2 and None in block[n][:2] and block[n][2] != "only"]
        held = {name: [value for value, _ in found] for name, found in places.items()} | {"ill": list(block["ill"])}
        guessed = any(depends(condition, name, held) for name in open_)
        answer.add(of_block, guessed, guessed or any(depends(condition, name, anywhere) for name in open_))
    return answer


NO_KNOWN_END = [
    {"f": (None, None, "only"), "i": (None, None, "only"), "c": ["x"], "ill": {"hiv": 2}, "count": 2},
    {"f": (None, None, "only"), "i": (-(2**63), None, "possible"), "c": ["x"], "ill": {"flu": 2}, "count": 2},
]
"""How likely NULL is hangs on an end that nothing published places, though no condition names a place."""


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(blocks=BLOCKS, conditions=st.lists(CONDITIONS, min_size=1, max_size=4))
@example(blocks=NO_KNOWN_END, conditions=[missing("i")])
def test_the_estimate_is_the_expectation_and_lies_within_its_bounds(
    blocks: list[dict[str, Any]], conditions: list[Condition]
) -> None:
    with duckdb.connect() as connection:
        make_release(connection, "r", COLUMNS, blocks)
        for condition in conditions:
            query = f"SELECT COUNT(*) FROM t WHERE {condition.sql}"
            expected = expectation(blocks, condition)
            (found,) = estimate(connection, "r", query).estimates
            assert found.estimate == pytest.approx(float(expected.estimate), rel=1e-9, abs=1e-9), condition.sql
            assert math.sqrt(expected.variance) - 1e-6 <= found.deviation <= math.sqrt(expected.most_variance) + 1e-6
            assert (found.lower, found.upper) == (expected.lower, expected.upper), condition.sql
            assert found.lower - 1e-9 <= found.estimate <= found.upper + 1e-9, condition.sql
            assert connection.execute(estimate_sql(connection, "r", query)).fetchall()[0][1:3] == (
                pytest.approx(found.estimate), pytest.approx(found.deviation)
            )  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    held=st.lists(regions(REALS, whole=False), min_size=2, max_size=4),
    ranges=st.lists(st.tuples(st.sampled_from(REALS), st.sampled_from(REALS)), min_size=1, max_size=4),
)
def test_the_macro_answers_as_the_estimate(held: list[Region], ranges: list[tuple[float, float]]) -> None:
    blocks = [{"f": region, "count": 1} for region in [*held, (0.0, 1.0, "no")]]
    with duckdb.connect() as connection:
        make_release(connection, "r", [ordered("f", "DOUBLE", missing=True)], blocks)
        connection.execute(estimate_macro(connection, "r"))
        for low, high in ranges:
            answer = estimate(connection, "r", f"SELECT COUNT(*) FROM t WHERE f BETWEEN '{low!r}' AND '{high!r}'").estimate
            (found,) = connection.execute("FROM r_estimate(f_from := ?, f_to := ?)", [low, high]).fetchone() or (None,)
            assert found == pytest.approx(answer, abs=1e-9), (low, high)


@pytest.fixture
def far() -> Iterator[duckdb.DuckDBPyConnection]:
    """Four rows of one large number, which is published as ``*``: no bound places its ends, only a query's constants do."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {FAR}::DOUBLE AS f FROM range(4)")
        yield connection


def test_a_search_measures_far_values_as_the_release_it_makes(far: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    queries = [f"SELECT COUNT(*) FROM t WHERE f {operator} '{FAR}'" for operator in ("<>", "<", "<=", "=")]
    queries.append(f"SELECT COUNT(*) FROM t WHERE f BETWEEN '{-MOST}' AND '{MOST}'")
    workload = tmp_path / "w.sql"
    workload.write_text(";\n".join(queries))
    made = gensearch_db.anonymize(
        far, "t", into="r", quasi_identifiers={"f": {"split": "2 quantiles"}}, k=1, minimize=f"count_error('{workload}')"
    )
    truths = [far.execute(query).fetchall()[0][0] for query in queries]
    estimates = [estimate(far, "r", query).estimate for query in queries]
    assert estimates == [4, 2, 2, 0, 4]
    assert made.cost == sum(abs(one - other) for one, other in zip(truths, estimates, strict=True)) == 4 + 2 + 2 + 4


def test_groups_of_another_column_share_out_all_rows(far: duckdb.DuckDBPyConnection) -> None:
    far.execute("CREATE TABLE two AS SELECT f, 'xy'[1 + rowid % 2] AS s FROM t")
    gensearch_db.anonymize(
        far, "two", into="r", quasi_identifiers={"f": {"split": "2 quantiles"}, "s": {"unordered": True}}, k=1
    )
    query = f"SELECT s, COUNT(*) FROM two WHERE NOT (f IS NULL AND f < '{FAR}') AND f <> '{FAR}' GROUP BY s"
    assert {one.group: one.estimate for one in estimate(far, "r", query).estimates} == {("x",): 2, ("y",): 2}
