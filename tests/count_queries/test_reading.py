"""What can be read, and that whatever cannot is refused by name, line and column."""

from __future__ import annotations

import duckdb
import pytest

from gensearch_db.count_queries import estimate, read_queries, read_query
from gensearch_db.errors import QueryError
from tests.count_queries.fixtures import categorical, make_release, ordered, sensitive

REFUSED = [
    ("", "no query"),
    ("-- nothing here", "no query"),
    ("SELECT COUNT(*)", "no FROM"),
    ("DELETE FROM t", "line 1, column 1: this is not a count query"),
    ("CREATE TABLE x AS SELECT COUNT(*) FROM t", "column 1: this is not a count query"),
    ("SELECT COUNT(*) FROM t; SELECT 1", "column 25: one query at a time"),
    ("SELECT COUNT(*) FROM t JOIN u USING (i)", "column 24: a join"),
    ("SELECT COUNT(*) FROM t x LEFT JOIN u ON TRUE", "column 26: a join"),
    ("SELECT COUNT(*) FROM t, u", "column 23: a join"),
    ("SELECT COUNT(*) FROM read_csv('x.csv')", "column 22: the table function read_csv"),
    ("SELECT DISTINCT COUNT(*) FROM t", "column 8: DISTINCT"),
    ("SELECT COUNT(DISTINCT i) FROM t", "column 14: COUNT(DISTINCT"),
    ("SELECT COUNT(*) OVER () FROM t", "column 17: a window function"),
    ("SELECT AVG(i) FROM t", "column 8: AVG"),
    ("SELECT SUM(1) FROM t", "column 8: only SUM(CASE"),
    ("SELECT SUM(CASE WHEN i = 1 THEN 2 ELSE 0 END) FROM t", "column 33: expected 1"),
    ("SELECT SUM(CASE WHEN i = 1 THEN 1 ELSE 1 END) FROM t", "column 40: expected 0 or NULL"),
    ("SELECT COUNT(*) + 1 FROM t", "column 17"),
    ("SELECT i, COUNT(*) FROM t", "column 8: column 'i' is neither counted nor in GROUP BY"),
    ("SELECT i FROM t GROUP BY i", "nothing is counted"),
    ("SELECT COUNT(*) FROM t GROUP BY ROLLUP (i)", "column 33: ROLLUP"),
    ("SELECT COUNT(*) FROM t HAVING COUNT(*) > 1", "column 24: HAVING"),
    ("SELECT COUNT(*) FROM t ORDER BY 1", "column 24: ORDER BY"),
    ("SELECT COUNT(*) FROM t LIMIT 1", "column 24: LIMIT"),
    ("SELECT COUNT(*) FROM t UNION ALL SELECT 1", "column 24: UNION"),
    ("SELECT COUNT(*) FROM (SELECT * FROM t UNION ALL SELECT * FROM t)", "column 39: UNION"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT i FROM t)", "column 30: DISTINCT"),
    ("SELECT COUNT(*) FROM (SELECT i + 1 AS j FROM t)", "column 32"),
    ("WITH RECURSIVE q AS (SELECT * FROM t) SELECT COUNT(*) FROM q", "column 6: WITH RECURSIVE"),
    ("SELECT COUNT(*) FROM t WHERE i = ?", "column 34: a parameter"),
    ("SELECT COUNT(*) FROM t WHERE i = $1", "column 34: a parameter"),
    ("SELECT COUNT(*) FROM t WHERE i = (SELECT 1)", "column 35: a subquery"),
    ("SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1)", "column 38: a subquery"),
    ("SELECT COUNT(*) FROM t WHERE i IN (SELECT 1)", "column 36: a subquery"),
    ("SELECT COUNT(*) FROM t WHERE i + 1 = 2", "column 30: 'i + 1' is an expression over a column"),
    ("SELECT COUNT(*) FROM t WHERE upper(c) = 'X'", "column 36: 'upper(c)' is an expression over a column"),
    ("SELECT COUNT(*) FROM t WHERE i = j2", "column 30: columns 'i' and 'j2' are compared"),
    ("SELECT COUNT(*) FROM t WHERE i =", "expected a column or a value"),
    ("SELECT COUNT(*) FROM t WHERE (i = 1", "column 30: this bracket is never closed"),
    ("SELECT COUNT(*) FROM t WHERE c = 'x", "this string is never closed"),
    ("SELECT COUNT(*) FROM t WHERE c SIMILAR TO 'x'", "column 32: SIMILAR is not supported"),
    ("SELECT COUNT(*) FROM t WHERE u.i = 1", "column 30: there is no table 'u'"),
    ("SELECT COUNT(*)\nFROM t\nWHERE aeg > 1 AND c = 'x'", "line 3, column 7: column 'aeg' is not in release 'r'"),
    ("SELECT COUNT(*) FROM t WHERE agee > 1", "did you mean 'age'?"),
    ("SELECT COUNT(*) FROM t WHERE note = 'x'", "column 30: column 'note' is kept in the rows of release 'r'"),
    ("SELECT COUNT(*) FROM t WHERE age LIKE '3%'", "column 30: LIKE compares text"),
    ("SELECT COUNT(*) FROM t WHERE age = 'x'", "column 36: column 'age' is INTEGER"),
    ("SELECT COUNT(*) FROM t WHERE c > 2", "column 34: column 'c' is VARCHAR"),
    ("SELECT COUNT(*) FROM t WHERE day >= '2024-02-30'", "column 37: column 'day' is DATE"),
    ("SELECT COUNT(*) FROM t WHERE day >= 5", "column 37: column 'day' is DATE"),
    ("SELECT COUNT(*) FROM t WHERE c", "column 30: column 'c' is VARCHAR, not a condition"),
    ("SELECT COUNT(*) FROM t WHERE age > random()", "column 36: random(…) gives another value at each call"),
    ("SELECT COUNT(*) FROM t WHERE age > nosuch(3)", "column 36"),
    ("SELECT COUNT(*) FROM t WHERE " + "(" * 80 + "age = 1" + ")" * 80, "deeper than"),
]


@pytest.fixture(scope="module")
def release() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    columns = [ordered("age", "INTEGER"), ordered("day", "DATE"), categorical("c"), sensitive("ill")]
    block = {"age": (30, 40), "day": ("2024-01-01", "2024-02-01"), "c": ["x", "y"], "ill": {"flu": 4}, "count": 4}
    make_release(connection, "r", columns, [block], keep=("note",))
    return connection


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[text[:60] or "empty" for text, _ in REFUSED])
def test_what_cannot_be_answered_is_refused_with_its_place(release: duckdb.DuckDBPyConnection, text: str, words: str) -> None:
    with pytest.raises(QueryError) as refused:
        estimate(release, "r", text)
    assert words in str(refused.value)


def test_what_is_wrong_with_the_columns_of_a_query_is_reported_together(release: duckdb.DuckDBPyConnection) -> None:
    text = "SELECT cc, COUNT(*) FROM t WHERE agee BETWEEN 1 AND 2 AND (note = 'x' OR age LIKE '3%') GROUP BY cc"
    with pytest.raises(QueryError) as refused:
        estimate(release, "r", text)
    assert [problem.split(":")[0] for problem in refused.value.problems] == [
        "line 1, column 34",
        "line 1, column 60",
        "line 1, column 74",
        "line 1, column 98",
    ]


ANSWERED = [
    ("SELECT COUNT(*) AS n FROM hr.t AS p WHERE p.age BETWEEN 30 AND 34 -- half\n;", 2.0),
    ("SELECT COUNT(*) FROM t WHERE 35 <= \"AGE\" /* the upper half */", 2.0),
    ("SELECT COUNT(*) FROM t WHERE age IN (31, 32) AND c = 'x'", 0.4),
    ("SELECT COUNT(*) FROM t WHERE age NOT IN (31, 32) OR c = 'x'", 4 * (0.8 + 0.2 * 0.5)),
    ("SELECT COUNT(*) FROM (SELECT age AS years, c FROM t WHERE c = 'x') s WHERE s.years < 35", 1.0),
    ("WITH a AS (SELECT * FROM t WHERE age < 35), b AS (SELECT age, c FROM a WHERE c = 'y') SELECT COUNT(*) FROM b", 1.0),
    ("SELECT COUNT(*) FILTER (WHERE age < 32) FROM t WHERE c LIKE 'x%'", 0.4),
    ("SELECT SUM(CASE WHEN age = 30 THEN 1 ELSE 0 END) FROM t", 0.4),
    ("SELECT COUNT(CASE WHEN age = 30 THEN 'yes' END) FROM t", 0.4),
    ("SELECT COUNT_IF(age = 30) FROM t", 0.4),
    ("SELECT COUNT(age) FROM t WHERE day < DATE '2024-01-01' + 31 AND ill = 'flu'", 4.0),
    ("SELECT COUNT(*) FROM t WHERE (age > 33) IS NOT TRUE", 1.6),
    ("SELECT COUNT(*) FROM t WHERE (((age))) = 30", 0.4),
    ("SELECT COUNT(*) FROM 'people.parquet' WHERE age > 1e10 OR NULL", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), ANSWERED, ids=[text[:60] for text, _ in ANSWERED])
def test_what_analysts_write_is_answered(release: duckdb.DuckDBPyConnection, text: str, value: float) -> None:
    assert estimate(release, "r", text).estimate == pytest.approx(value)


def test_a_script_holds_many_queries_and_errors_name_the_line_in_it() -> None:
    assert [query.text for query in read_queries("SELECT COUNT(*) FROM t;\n\nSELECT COUNT(i) FROM u;;")] == [
        "SELECT COUNT(*) FROM t",
        "SELECT COUNT(i) FROM u",
    ]
    with pytest.raises(QueryError, match="line 3, column 8"):
        read_queries("SELECT COUNT(*) FROM t;\n\nSELECT MAX(i) FROM u;")


def test_counted_columns_keep_their_labels() -> None:
    query = read_query("SELECT c, COUNT(*) AS n, COUNT(*) n, COUNT( age ) FROM t GROUP BY c")
    assert [count.label for count in query.counts] == ["n", "n (2)", "COUNT( age )"]
    assert query.group_labels == ("c",)
