"""Random count queries on random releases: hard bounds hold the true count, and conditions that exclude each other add up."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import gensearch_db
from gensearch_db.count_queries import estimate
from gensearch_db.errors import GensearchError, QueryError
from tests.cases.naming import literal, quoted

from .checks import INTERNAL, attempt, some
from .columns import KINDS
from .problems import Case, cases
from .test_second_releases import place

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM")


@st.composite
def asked(draw: st.DrawFn) -> tuple[Case, list[str]]:
    """A case and conditions on its columns."""
    case = draw(cases())
    names = {*case.problem["quasi_identifiers"], *case.sensitive}
    released = [column for column in case.columns if column[0] in names]
    return case, draw(st.lists(condition(released), min_size=1, max_size=4))


def condition(columns: list[tuple[str, str, tuple[Any, ...]]]) -> st.SearchStrategy[str]:
    """A condition on one or several columns."""
    leaf = st.sampled_from(columns).flatmap(_simple)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda parts: f"({' '.join(parts)})"),
            inner.map(lambda part: f"NOT ({part})"),
        ),
        max_leaves=5,
    )


def _simple(column: tuple[str, str, tuple[Any, ...]]) -> st.SearchStrategy[str]:
    name, kind, values = column
    known = [value for value in values if value is not None and value == value]
    constant = st.one_of(st.sampled_from(known), KINDS[kind].values) if known else KINDS[kind].values
    text = constant.filter(lambda value: value == value).map(_written)
    shown = quoted(name)
    forms = [
        st.tuples(st.sampled_from(COMPARISONS), text).map(lambda parts: f"{shown} {parts[0]} {parts[1]}"),
        st.tuples(text, text).map(lambda parts: f"{shown} BETWEEN {parts[0]} AND {parts[1]}"),
        st.lists(text, min_size=1, max_size=3).map(lambda parts: f"{shown} NOT IN ({', '.join(parts)})"),
        st.lists(text, min_size=1, max_size=3).map(lambda parts: f"{shown} IN ({', '.join(parts)})"),
        st.sampled_from([f"{shown} IS NULL", f"{shown} IS NOT NULL"]),
    ]
    if kind == "VARCHAR":
        forms.append(st.sampled_from(["a%", "%", "_", "", "%''%"]).map(lambda pattern: f"{shown} LIKE '{pattern}'"))
    return st.one_of(forms)


def _written(value: Any) -> str:
    """A constant as SQL: numbers bare, all else in quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return literal(str(value))


@pytest.mark.slow
@some(2)
@given(asked())
def test_bounds_hold_the_true_count(asked_: tuple[Case, list[str]]) -> None:
    case, conditions = asked_
    with duckdb.connect() as connection:
        case.create(connection)
        if case.rows == 0 or attempt(connection, case) is not None or "person" in case.problem:
            return
        make_released(connection, case)
        (rows,) = connection.execute("SELECT count(*) FROM released").fetchone() or (0,)
        for text in conditions:
            try:
                (truth,) = connection.execute(f"SELECT count(*) FROM released WHERE {text}").fetchone() or (0,)
            except duckdb.Error:
                truth = None  # a constant that the type cannot read, or a comparison that DuckDB refuses
            found = answer(connection, text)
            if found is None or truth is None:
                continue
            event("compared")
            assert found.lower <= truth <= found.upper, f"{text}: {truth} is not in [{found.lower}, {found.upper}]"
            assert found.lower - 1e-6 <= found.estimate <= found.upper + 1e-6, f"{text}: {found}"
            others = [answer(connection, other) for other in (f"NOT ({text})", f"({text}) IS UNKNOWN")]
            if None not in others:
                total = found.estimate + sum(other.estimate for other in others if other is not None)
                assert abs(total - rows) <= 1e-6 * max(1, rows), f"{text}: the three ways to answer add up to {total} of {rows}"


def make_released(connection: duckdb.DuckDBPyConnection, case: Case) -> None:
    """The source's rows that were released, a NaN being NULL."""
    placed = place(connection, "rel", "src")
    connection.execute("CREATE TEMP TABLE placed (number BIGINT)")
    if placed:
        connection.executemany("INSERT INTO placed VALUES (?)", [[row] for row in placed])
    floats = [quoted(name) for name, kind, _ in case.columns if kind in ("FLOAT", "DOUBLE")]
    replaced = ", ".join(f"CASE WHEN NOT isnan({name}) THEN {name} END AS {name}" for name in floats)
    known = f"* REPLACE ({replaced})" if replaced else "*"
    connection.execute(f"CREATE TEMP TABLE released AS SELECT {known} FROM src WHERE rowid IN (FROM placed)")


def answer(connection: duckdb.DuckDBPyConnection, text: str) -> Any:
    """The estimate of one condition; None where it is refused, which only an error of the query may do."""
    try:
        (found,) = estimate(connection, "rel", f"SELECT COUNT(*) FROM src WHERE {text}").estimates
    except GensearchError as error:
        refusal = error
    else:
        return found
    assert isinstance(refusal, QueryError), repr(refusal)
    assert "line 1, column" in str(refusal), str(refusal)
    assert not any(word in str(refusal) for word in INTERNAL[:1]), str(refusal)
    event("refused")
    return None


WORDS = (
    "SELECT", "COUNT", "(", "*", ")", "FROM", "src", "WHERE", "AND", "OR", "NOT", "BETWEEN", "IN", "IS", "NULL", "age", "town",
    "1", "-2.5", "'x'", "=", "<", ">=", ",", "GROUP BY", "ALL", "CASE", "WHEN", "THEN", "ELSE", "END", "SUM", "FILTER", "LIKE",
    ".", "::", "DATE", "AS", "n", "illness", "UNION", "LIMIT", "DISTINCT", "'", '"', ";", "--", "/*", "\x00", "é", "COUNT_IF",
)  # fmt: skip
QUERIES = (
    "SELECT COUNT ( * ) FROM src WHERE age BETWEEN 1 AND 2 OR NOT ( town IN ( 'x' , 'y' ) )",
    "SELECT town , COUNT ( * ) FILTER ( WHERE age > 1 ) AS n FROM src WHERE illness = 'flu' GROUP BY town",
    "SELECT SUM ( CASE WHEN age = 1 THEN 1 ELSE 0 END ) , COUNT ( town ) FROM src",
    "SELECT COUNT_IF ( age IS NOT NULL AND town LIKE 'x%' ) FROM src GROUP BY ALL",
)


@st.composite
def changed(draw: st.DrawFn, texts: tuple[str, ...], words: tuple[str, ...]) -> str:
    """One of some texts with some of its words left out, doubled, exchanged or replaced."""
    found = draw(st.sampled_from(texts)).split(" ")
    for _ in range(draw(st.integers(0, 4))):
        place_ = draw(st.integers(0, len(found) - 1))
        word = draw(st.sampled_from(words))
        changes = ([], [word], [word, found[place_]], [found[place_]] * 2, [draw(st.text(max_size=3))])
        found[place_ : place_ + 1] = draw(st.sampled_from(changes))
        found = found or [word]
    return " ".join(found)


@pytest.mark.slow
@some(1)
@given(changed(QUERIES, WORDS))
def test_a_query_is_answered_or_refused_with_its_place(query: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE src AS SELECT i AS age, 'xyz'[1 + i % 3] AS town, 'flu' AS illness FROM range(6) r(i)")
        problem = {"quasi_identifiers": {"age": {}, "town": {}}, "sensitive": ["illness"], "subject_to": ["k_anonymity(2)"]}
        gensearch_db.anonymize(connection, "src", into="rel", **problem, strategy="mondrian")
        try:
            found = estimate(connection, "rel", query)
        except QueryError:
            event("refused")
            return
        event("answered")
        assert all(one.lower <= one.upper for one in found.estimates)
