"""Reading scripts: what is ours, what is DuckDB's, and what is refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gensearch_db.errors import QueryError, SpecificationError
from gensearch_db.problem.problem import Problem
from gensearch_db.statements.canonical import statement_of
from gensearch_db.statements.script import OPENINGS, holds_own_statement, is_complete, parse_script, parse_statement
from gensearch_db.statements.syntax import (
    Anonymize,
    ApplyRelease,
    Audit,
    DropRelease,
    EngineStatement,
    Estimate,
    ExplainAnonymize,
    Profile,
    Publish,
    ShowReleases,
)

FIXTURES = Path(__file__).parent / "fixtures"


def pairs(name: str) -> list[tuple[str, str]]:
    blocks = (FIXTURES / name).read_text(encoding="utf-8").split("\n====\n")[1:]
    return [tuple(part.rstrip("\n") for part in block.split("\n----\n")) for block in blocks]  # type: ignore[misc]


@pytest.mark.parametrize(("written", "expected"), pairs("reads_as.txt"))
def test_statement_reads_as(written: str, expected: str) -> None:
    statement = parse_statement(written)
    assert isinstance(statement, Anonymize)
    assert statement_of(statement.problem(), statement.replace) == expected
    again = parse_statement(expected)
    assert again == statement


@pytest.mark.parametrize(("written", "expected"), pairs("refused.txt"))
def test_statement_is_refused_with_its_place(written: str, expected: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_script(written)
    assert str(caught.value) == expected


def told(script: str) -> list[str]:
    """The words that the carets stand under, problem by problem."""
    with pytest.raises((QueryError, SpecificationError)) as caught:
        parse_script(script)
    problems = caught.value.problems or (str(caught.value),)
    if len(problems) > 1:
        assert str(caught.value).startswith(f"{len(problems)} problems:\n  - line ")
    return [line[carets.index("^") : carets.rindex("^") + 1] for _, line, carets in (each.splitlines() for each in problems)]


TOGETHER = [
    (  # meanings, and what clauses say together
        "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (age, zip) SENSITIVE (zip)\n"
        "SUBJECT TO k_anonimity(10) AND t_closenes(0.2) AND t_closeness(0.2, x)\n"
        'MINIMIZE ncp + discernability USING block_graph(foo = 1, "bar" = 2, prices = 3)',
        ["k_anonimity", "t_closenes", "discernability", "zip", "foo", '"bar"', "prices", "x"],
    ),
    (  # columns that cannot be read, among some that can
        "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a SPLT EVERY (5, x), b, c PREFIXX, d SPLIT AT 3,, 4, e ORDERED PREFIX, e)",
        ["SPLT", "PREFIXX", ",", "e ORDERED PREFIX", "e"],
    ),
    (  # clauses that cannot be read
        "ANONYMIZE TABLE t INTO r IDENTIFIRS (n) QUASI IDENTIFIERS (a) KEEP x SENSITIVE (b c, d) SUBJECT k(1) NODE LIMIT 0"
        " STOP AFTER 5 FORTNIGHTS USING mondrain (bound = 3) KEEP (y) REPLACE)",
        ["IDENTIFIRS", "x", "c", "k", "0", "FORTNIGHTS", "mondrain", "KEEP", ")"],
    ),
    (  # a bracket that is never closed hides what follows
        "ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a SPLT, b SENSITIVE (c) KEEP d",
        ["SPLT", "SENSITIVE"],
    ),
    (  # what is not known after an error raises no complaint: no sensitive column, no quasi-identifier, no strategy
        "ANONYMIZE TABLE t INTO r QUASI IDENTIFERS (a) SENSITVE (s) SUBJECT TO t_closeness(0.2, s) USING enumration"
        " STATISTICS sql",
        ["IDENTIFERS", "SENSITVE", "enumration"],
    ),
    (  # without roles, which comments may give, the rest is read all the same
        "EXPLAIN ANONYMIZE TABLE t INTO r SUBJECT TO l(2) AND t_closeness(0.2, s) USING mondrian (depth = 3)",
        ["l", "mondrian"],
    ),
    (
        "ANONYMIZE TABLE t INTO r USING RELEASE q KEEP (a) THREADS 2",
        ["KEEP", "THREADS"],
    ),
    (
        "AUDIT r SUBJECT TO k_anonimity(1) AND t_closeness(0.2, s, foo = 1, bar = 2) SENSITIVE (s)",
        ["k_anonimity", *["t_closeness(0.2, s, foo = 1, bar = 2)"] * 2, "SENSITIVE"],
    ),
    (  # every statement of a script
        "PROFILE t; PROFILE t u; SELECT 1 frm\n x y z; AUDIT r SUBJECT TO l(2)",
        ["u", "x", "l"],
    ),
]


@pytest.mark.parametrize(("script", "words"), TOGETHER)
def test_all_that_is_wrong_is_told_together(script: str, words: list[str]) -> None:
    assert told(script) == words


OTHER_STATEMENTS = [
    ("AUDIT r", Audit("r")),
    ('audit s."r 1" against (select * from t)', Audit('s."r 1"', "(select * from t)")),
    (
        'AUDIT t subject to K_anonymity( 2 ) and distinct_l_diversity(3) sensitive (s) quasi identifiers (a, "b c")',
        Audit("t", None, ("a", "b c"), ("s",), ("K_anonymity(2)", "distinct_l_diversity(3)")),
    ),
    ("AUDIT r SUBJECT TO k_anonymity(9) AGAINST t", Audit("r", "t", subject_to=("k_anonymity(9)",))),
    ('AUDIT with with s."with" AGAINST t', Audit('"with"', "t", together_with='s."with"')),
    ("SHOW RELEASES;", ShowReleases()),
    ("DROP RELEASE r", DropRelease("r")),
    ("DROP RELEASE IF EXISTS if", DropRelease("if", if_exists=True)),
    ("PROFILE TABLE t", Profile("t")),
    ("PROFILE 'a.parquet'", Profile("a.parquet")),
    ("PUBLISH r, s.q TO 'out.duckdb' REPLACE", Publish(("r", "s.q"), "out.duckdb", replace=True)),
    ("ANONYMIZE TABLE n INTO r2 REPLACE USING RELEASE r", ApplyRelease("n", "r2", "r", replace=True)),
    (
        "ESTIMATE SELECT COUNT(*) FROM t JOIN u USING (x) WHERE a = ';' USING r",
        Estimate("SELECT COUNT(*) FROM t JOIN u USING (x) WHERE a = ';'", "r"),
    ),
    ("EXPLAIN ANONYMIZE TABLE t INTO r", ExplainAnonymize(Anonymize({"table": "t", "into": "r"}))),
]


@pytest.mark.parametrize(("written", "expected"), OTHER_STATEMENTS)
def test_other_statements(written: str, expected: object) -> None:
    assert parse_script(written) == [expected]


ENGINE_SCRIPTS = [
    "SELECT * FROM anonymize",
    "CREATE TABLE audit (profile INTEGER, estimate INTEGER); INSERT INTO audit VALUES (1, 2)",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "SHOW TABLES",
    'SHOW "releases"',
    "DROP TABLE release",
    "DROP TABLE IF EXISTS t; SELECT 'ANONYMIZE TABLE t INTO r'; -- ANONYMIZE; AUDIT r",
    "SELECT $$;AUDIT r;$$; /* ; AUDIT r; */",
    "",
    " ; ; ",
    "selct 1",
    "SELECT 'never closed",
]


@pytest.mark.parametrize("script", ENGINE_SCRIPTS)
def test_what_is_not_ours_comes_back_untouched(script: str) -> None:
    assert parse_script(script) == [EngineStatement(script)]


def test_a_mixed_script_is_cut_where_the_engine_cuts_it() -> None:
    script = "SELECT ';' AS \";\" -- ;\n; /* ; /* ; */ */ SHOW RELEASES;; SELECT $x$;$x$, E'\\';' ;AUDIT r"
    assert parse_script(script) == [
        EngineStatement("SELECT ';' AS \";\" -- ;\n"),
        ShowReleases(),
        EngineStatement(" SELECT $x$;$x$, E'\\';' "),
        Audit("r"),
    ]


def test_nothing_of_a_script_is_given_back_when_its_end_is_wrong() -> None:
    with pytest.raises(QueryError, match="line 2, column 7"):
        parse_script("CREATE TABLE t (a INTEGER);\nAUDIT ,")


def test_statement_without_roles_waits_for_the_comments() -> None:
    statement = parse_statement("ANONYMIZE TABLE t INTO r SUBJECT TO k_anonymity(10)")
    assert isinstance(statement, Anonymize)
    assert not statement.names_roles
    with pytest.raises(SpecificationError, match="quasi_identifiers"):
        statement.problem()


def test_contradictory_roles_are_reported_together() -> None:
    with pytest.raises(SpecificationError, match=r"(?s)2 problems.*'b'.*'a'"):
        parse_script("ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a, b) KEEP (a) SENSITIVE (b)")


@pytest.mark.parametrize(
    ("text", "complete"),
    [("SELECT 1", False), ("SELECT 1;", True), ("SELECT ';", False), ("SELECT 1; -- x", True), ("/* ;", False), ("", False)],
)
def test_interactive_input_ends_with_a_semicolon(text: str, complete: bool) -> None:
    assert is_complete(text) is complete


WORDS = st.sampled_from((FIXTURES / "words.txt").read_text(encoding="utf-8").split(" "))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(WORDS, max_size=25).map(" ".join)
    | st.text(max_size=60)
    | st.sampled_from(sorted(OPENINGS)).flatmap(lambda opening: st.text(max_size=40).map(lambda rest: f"{opening} {rest}"))
)
def test_no_input_crashes_the_parser(script: str) -> None:
    with suppress(QueryError, SpecificationError):
        statements = parse_script(script)
        assert statements
    holds_own_statement(script)
    is_complete(script)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
STRINGS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@settings(max_examples=150, deadline=None)
@given(NAMES, NAMES, STRINGS)
def test_no_name_or_value_breaks_out(table: str, column: str, value: str) -> None:
    """Whatever stands in quotes comes back as that one name or value, and the canonical text says it to DuckDB too."""
    literal = "'" + value.replace("'", "''") + "'"
    written = (
        f"ANONYMIZE TABLE {quoted(table)} INTO {quoted(table + '_r')} "
        f"QUASI IDENTIFIERS ({quoted(column)} ORDERED ({literal}, 'z')) SUBJECT TO k_anonymity(2); AUDIT {quoted(column)}"
    )
    first, second = parse_script(written)
    assert isinstance(first, Anonymize)
    problem = first.problem()
    assert list(problem.quasi_identifiers) == [column]
    assert problem.quasi_identifiers[column].order == (value, "z")
    assert isinstance(second, Audit)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT 1 AS one")
        assert connection.execute(f"SELECT one FROM {problem.table}").fetchall() == [(1,)]
    assert parse_statement(statement_of(problem)) == first


QUASI_IDENTIFIER_SPECS = st.one_of(
    st.just({}),
    st.builds(lambda n: {"split": f"every {n}"}, st.integers(1, 99)),
    st.builds(lambda n: {"split": f"{n} quantiles"}, st.integers(2, 99)),
    st.sampled_from([{"split": "anywhere"}, {"split": "at 1, 2, 3.5"}, {"split": "at 2020-01-01"}, {"split": "every month"}]),
    st.builds(lambda values: {"order": tuple(values)}, st.lists(STRINGS, min_size=1, max_size=3)),
    st.sampled_from([{"order": True}, {"prefix": True}, {"unordered": True}, {"taxonomy": "x.csv", "relaxed": True}]),
    st.builds(
        lambda low, high, weight, length: {"domain": (low, high), "weight": weight, "minimum_length": length},
        st.integers(-(10**20), 0) | st.floats(-1e20, 0),
        st.integers(1, 10**20),
        st.floats(1e-30, 1e30),
        st.floats(0, 1e30),
    ),
    st.builds(lambda zone: {"timezone": zone}, STRINGS),
)
SWITCHES = st.dictionaries(st.sampled_from(["balanced", "prices", "all_boxes"]), st.booleans())
SEARCHES = st.one_of(
    st.fixed_dictionaries(
        {"strategy": st.just("block_graph"), "statistics": st.sampled_from(["auto", "memory"])}, optional={"options": SWITCHES}
    ),
    st.fixed_dictionaries({"strategy": st.just("mondrian"), "statistics": st.sampled_from(["auto", "memory"])}),
    st.fixed_dictionaries(
        {"strategy": st.just("enumeration"), "statistics": st.sampled_from(["auto", "sql", "memory"])},
        optional={
            "options": st.fixed_dictionaries(
                {},
                optional={
                    "priority": st.sampled_from(["lb", "LB/Cost"]),
                    "complete": st.booleans(),
                    "look_ahead": st.integers(0),
                },
            )
        },
    ),
)
PROBLEMS = st.builds(
    lambda columns, search, **fields: Problem(table="t", into="s.r", quasi_identifiers=columns, **search, **fields),
    st.dictionaries(NAMES.map(str.casefold), QUASI_IDENTIFIER_SPECS, min_size=1, max_size=4),
    SEARCHES,
    suppress_at_most=st.floats(0, 100),
    stop_after=st.floats(1e-6, 1e9),
    stop_within=st.floats(1, 1e6),
    node_limit=st.none() | st.integers(1, 10**30),
    memory_limit=st.none() | st.integers(1, 10**12),
    threads=st.none() | st.integers(1, 64),
    typed_columns=st.booleans(),
    labels=st.sampled_from(["region", "values"]),
)


@settings(max_examples=150, deadline=None)
@given(PROBLEMS, st.booleans())
def test_every_problem_survives_being_written_as_a_statement(problem: Problem, replace: bool) -> None:
    statement = parse_statement(statement_of(problem, replace))
    assert isinstance(statement, Anonymize)
    assert statement.problem() == problem
    assert statement.replace is replace


@pytest.mark.parametrize("share", [5e-324, 2.2250738585072014e-308, 0.1, 100.0])
def test_the_smallest_numbers_survive_too(share: float) -> None:
    problem = Problem(table="t", into="r", quasi_identifiers={"a": {}}, suppress_at_most=share)
    written = parse_statement(statement_of(problem))
    assert isinstance(written, Anonymize)
    assert written.problem().suppress_at_most == share


@pytest.mark.parametrize("number", ["2" + "0" * 308, "0." + "0" * 325 + "1", "1e400", "1e999999999"])
def test_numbers_that_no_double_holds_are_refused(number: str) -> None:
    with pytest.raises(QueryError, match="cannot be that large or small"):
        parse_statement(f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS (a) SUPPRESS AT MOST {number} PERCENT")
