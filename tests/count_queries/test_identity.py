"""An identity release (k = 1, nothing generalised) answers every query of the grammar exactly, as DuckDB does on the table."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gensearch_db.count_queries import estimate, read_queries
from gensearch_db.count_queries.estimating import estimate_all
from gensearch_db.count_queries.release import open_release
from gensearch_db.database.session import Session
from tests.count_queries.fixtures import categorical, identity_release, ordered, sensitive

TYPES = {
    "i": "INTEGER", "u": "UTINYINT", "dt": "DATE", "f": "DOUBLE", "w": "FLOAT", "m": "DECIMAL(4,1)", "ts": "TIMESTAMP",
    "s": "VARCHAR", "flag": "BOOLEAN", "n": "INTEGER", "level": "ENUM('low', 'mid', 'high')", "ill": "VARCHAR",
    "pay": "INTEGER",
}  # fmt: skip
COLUMNS = [
    *(ordered(name, TYPES[name], missing=True) for name in ("i", "u", "dt", "f", "w", "m", "ts")),
    *(categorical(name, TYPES[name]) for name in ("s", "flag", "n", "level")),
    sensitive("ill"), sensitive("pay", "INTEGER"),
]  # fmt: skip
VALUES = {
    "i": ["-3", "0", "1", "2", "5", "7"],
    "u": ["0", "1", "200", "255"],
    "dt": ["DATE '2024-02-01'", "DATE '2024-02-28'", "DATE '2024-03-01'", "DATE '1969-12-30'"],
    "f": ["-0.5", "0.0", "2.1", "2.25", "1e9"],
    "w": ["2.1", "2.2", "-7.5", "16777217"],
    "m": ["2.0", "2.9", "3.0", "-99.9"],
    "ts": ["TIMESTAMP '2024-02-01 00:00:00'", "TIMESTAMP '2024-02-01 12:30:00.5'", "TIMESTAMP '1969-12-31 23:59:59'"],
    "s": ["'a'", "'A'", "'ab'", "'50%'", "'50_'", "'a\\%b'", "''", "'é'"],
    "flag": ["TRUE", "FALSE"],
    "n": ["1", "2", "10"],
    "level": ["'low'", "'mid'", "'high'"],
    "ill": ["'flu'", "'hiv'", "'cold'"],
    "pay": ["10", "20", "30"],
}
BOUNDS = {
    "i": [*VALUES["i"], "2.5", "1.9e0", "-3.0001", "'2'", "NULL", "3 + 4", "1e20", "99999999999", "(2)"],
    "u": [*VALUES["u"], "-1", "256", "0.5", "NULL"],
    "dt": [*VALUES["dt"], "'2024-02-28'", "TIMESTAMP '2024-02-28 10:00:00'", "DATE '2024-02-01' + INTERVAL 1 DAY", "NULL"],
    "f": [*VALUES["f"], "2", "2.1::FLOAT", "'2.25'", "1e300", "NULL"],
    "w": [*VALUES["w"], "2.1::DOUBLE", "2.15", "2", "NULL"],
    "m": [*VALUES["m"], "2.95", "3", "2.91::DOUBLE", "1e10", "NULL"],
    "ts": [*VALUES["ts"], "DATE '2024-02-01'", "'2024-02-01 12:30:00'", "NULL"],
    "s": [*VALUES["s"], "'b'", "NULL", "upper('a')"],
    "flag": [*VALUES["flag"], "NULL", "1 = 1"],
    "n": [*VALUES["n"], "1.5", "NULL", "5 - 3"],
    "level": [*VALUES["level"], "NULL"],
    "ill": [*VALUES["ill"], "'none'", "NULL"],
    "pay": [*VALUES["pay"], "15.5", "NULL"],
}
PATTERNS = ["'50%'", "'50#%' ESCAPE '#'", "'50_'", "'a%'", "'50\\%'", "NULL", "'%'", "''"]


def predicate(name: str) -> st.SearchStrategy[str]:
    bound = st.sampled_from(BOUNDS[name])
    operator = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="])
    forms = [
        st.builds(lambda o, b: f"{name} {o} {b}", operator, bound),
        st.builds(lambda o, b: f"{b} {o} {name}", operator, bound),
        st.builds(lambda a, b, n: f"{name} {n}BETWEEN {a} AND {b}", bound, bound, st.sampled_from(["", "NOT "])),
        st.builds(
            lambda bs, n: f"{name} {n}IN ({', '.join(bs)})",
            st.lists(bound, min_size=1, max_size=3),
            st.sampled_from(["", "NOT "]),
        ),
        st.sampled_from(
            [f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} = {name}", f"{name} < {name}", f"{name} >= {name}"]
        ),
        st.builds(lambda b, n: f"{name} IS {n}DISTINCT FROM {b}", bound, st.sampled_from(["", "NOT "])),
    ]
    if name == "flag":
        forms = [st.sampled_from(["flag", "NOT flag", "flag IS TRUE", "flag IS NOT TRUE", "flag IS UNKNOWN", "flag = TRUE"])]
    if name in ("s", "ill"):
        forms.append(
            st.builds(
                lambda p, o, n: f"{name} {n}{o} {p}",
                st.sampled_from(PATTERNS), st.sampled_from(["LIKE", "ILIKE"]), st.sampled_from(["", "NOT "]),
            )
        )  # fmt: skip
    return st.one_of(forms)


LEAF = st.one_of(st.sampled_from(list(TYPES)).flatmap(predicate), st.sampled_from(["TRUE", "1 = 2", "NULL", "2 > 1"]))
CONDITION = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.builds(lambda a, o, b: f"{a} {o} {b}", inner, st.sampled_from(["AND", "OR"]), inner),
        st.builds(lambda a, o, b: f"({a}) {o} ({b})", inner, st.sampled_from(["AND", "OR"]), inner),
        st.builds(lambda a: f"NOT ({a})", inner),
        st.builds(lambda a, t: f"({a}) IS {t}", inner, st.sampled_from(["TRUE", "NOT TRUE", "FALSE", "UNKNOWN", "NOT NULL"])),
    ),
    max_leaves=6,
)
ROWS = st.lists(
    st.tuples(*(st.sampled_from([*values, "NULL"]) for values in VALUES.values())), min_size=0, max_size=12
)  # fmt: skip


def table_of(rows: list[tuple[str, ...]]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {type_}' for name, type_ in TYPES.items())})")
    for row in rows:
        connection.execute(f"INSERT INTO t VALUES ({', '.join(row)})")
    identity_release(connection, "t", "r", COLUMNS)
    return connection


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=ROWS, conditions=st.lists(CONDITION, min_size=1, max_size=8))
def test_every_condition_is_counted_as_duckdb_counts_it(rows: list[tuple[str, ...]], conditions: list[str]) -> None:
    connection = table_of(rows)
    script = ";\n".join(f"SELECT COUNT(*) FROM t WHERE {condition}" for condition in conditions)
    queries = read_queries(script)
    with Session(connection) as session:
        answers = estimate_all(open_release(session, "r"), queries)
    for query, answer in zip(queries, answers, strict=True):
        (truth,) = connection.execute(query.text).fetchone() or (None,)
        assert answer.estimate == pytest.approx(truth, abs=1e-9), query.text
        assert (answer.estimates[0].lower, answer.estimates[0].upper) == (truth, truth), query.text
        assert answer.estimates[0].deviation == 0


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=ROWS,
    groups=st.lists(
        st.sampled_from(["i", "dt", "f", "m", "ts", "s", "flag", "level", "ill", "pay"]), min_size=1, max_size=2, unique=True
    ),
    where=LEAF,
    condition=LEAF,
)
def test_groups_are_counted_as_duckdb_counts_them(
    rows: list[tuple[str, ...]], groups: list[str], where: str, condition: str
) -> None:
    connection = table_of(rows)
    names = ", ".join(groups)
    text = (
        f"SELECT {names}, COUNT(*) FILTER (WHERE {condition}), COUNT(s), SUM(CASE WHEN {condition} THEN 1 ELSE 0 END) "
        f"FROM t WHERE {where} GROUP BY {names}"
    )
    truth = {row[: len(groups)]: row[len(groups) :] for row in connection.execute(text).fetchall()}
    found: dict[tuple[object, ...], list[float]] = {}
    for one in estimate(connection, "r", text).estimates:
        found.setdefault(one.group, []).append(one.estimate)
    assert {group: tuple(round(value, 9) for value in values) for group, values in found.items()} == truth
