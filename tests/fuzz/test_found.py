"""What fuzzing found, as small as it could be made: each stays."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.count_queries import estimating
from gensearch_db.errors import DataError, QueryError, SpecificationError
from tests.cases.invariants import Surroundings

from .checks import check, check_optimum, searches_seen
from .problems import Case

VALUES = {"labels": "values", "strategy": "mondrian", "suppress_at_most": 20}

FOUND = {
    # The invariants did not know names of years, and a value that is spelled like the whole domain.
    "years, 2026-11-28": ("DATE", [datetime.date(year, 1, 1) for year in (2020, 2021, 2022)], {}, VALUES),
    "a star, 2026-11-28": ("VARCHAR", ["*"], {"unordered": True}, VALUES),
    # The invariants looked for the empty text of a suppressed row, and found it in every text.
    "an empty text, 2026-11-28": ("INTEGER", [1, 1, 1, 1, 2], {}, {**VALUES, "illness": ["flu"] * 4 + [""], "k": 2}),
    # The same with a sign of JSON, which stands in every dictionary.
    "a sign of JSON, 2026-11-28": ("INTEGER", [1, 1, 1, 1, 2], {}, {**VALUES, "illness": ["flu"] * 4 + ["{"], "k": 2}),
    "nearly as wide as a DOUBLE can measure": ("DOUBLE", [0.0, None, 0.9e300], {}, VALUES),
}


@pytest.mark.parametrize("found", FOUND)
def test_a_release(tmp_path: Path, found: str) -> None:
    kind, values, split, fields = FOUND[found]
    case = case_of({"age": (kind, values)}, {"age": split}, **fields)
    with duckdb.connect() as connection:
        case.create(connection)
        before = Surroundings.of(connection, tmp_path)
        gensearch_db.anonymize(connection, **case.problem)
        check(connection, case, before, tmp_path, None)


@pytest.mark.parametrize("strategy", ["mondrian", "mondrian_steepest", "block_graph", "enumeration"])
@pytest.mark.parametrize("values", [[0.0, None, 1.1984620899082105e308], [-1e308, 1e308, None], [0.0, 0.0, 1e301]])
def test_columns_too_wide_to_measure_are_refused(tmp_path: Path, values: list[float | None], strategy: str) -> None:
    """2026-11-28: the missing leaf's length went past the largest double, and the certificate could not be written."""
    refused(tmp_path, case_of({"age": ("DOUBLE", values)}, {"age": {}}, strategy=strategy), "'age' reaches from")


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_quantiles_between_the_largest_numbers(tmp_path: Path, kind: str) -> None:
    """2026-11-28: the roundest number next to the largest double is larger than it (OverflowError)."""
    largest = {"DOUBLE": 1.7976931348623157e308, "FLOAT": 3.4028234663852886e38}[kind]
    wide = case_of({"age": (kind, [-largest, -1.5e16, 0.0, largest])}, {"age": {"split": "3 quantiles"}})
    if kind == "DOUBLE":
        refused(tmp_path, wide, "'age' reaches from")
        return
    with duckdb.connect() as connection:
        wide.create(connection)
        assert gensearch_db.anonymize(connection, **wide.problem).blocks == 3


@pytest.mark.parametrize("strategy", ["mondrian", "block_graph", "enumeration"])
@pytest.mark.parametrize(
    "constraint",
    ["entropy_l_diversity(1, illness)", "recursive_l_diversity(2, 1, illness)", "alpha_k_anonymity(1, 1, illness)"],
)
def test_a_sensitive_column_without_any_known_value_can_meet_what_asks_for_no_diversity(constraint: str, strategy: str) -> None:
    """2026-11-28: the blocks met the constraint, and the bound on their size said that none could."""
    case = case_of({"age": ("INTEGER", [1, 1, 2, 2])}, {"age": {}}, strategy=strategy, illness=[None] * 4)
    with duckdb.connect() as connection, searches_seen() as seen:
        case.create(connection)
        subject_to = ["k_anonymity(2)", constraint]
        release = gensearch_db.anonymize(connection, **{**case.problem, "subject_to": subject_to, "minimize": "discernibility"})
    assert check_optimum(*seen[0])
    assert (release.cost, release.blocks) == (8, 2)
    assert release.lower_bound <= 8


@pytest.mark.parametrize("cost", ["non_uniform_entropy", "marginal_nonuniformity + ncp", "v_optimal"])
def test_a_release_of_any_cost_can_be_used_for_new_rows(cost: str) -> None:
    """2026-11-28: costs that read the marginals of blocks were not given them, and the statement crashed."""
    case = case_of({"age": ("INTEGER", [1, 1, 2, 2])}, {"age": {}}, k=2, minimize=cost)
    with duckdb.connect() as connection:
        case.create(connection)
        gensearch_db.anonymize(connection, **case.problem)
        statements = gensearch_db.Connection(connection.cursor())
        (answer,) = statements.execute("ANONYMIZE TABLE src INTO again USING RELEASE rel").fetchall()
        assert answer[2:5] == (4, 0, 0)
        sizes = [connection.execute(f"SELECT count(*) FROM {table} GROUP BY age").fetchall() for table in ("again", "rel")]
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize("ways", [{"order": ["1", "007", "never", "7"]}, {"taxonomy": "tree_0"}])
def test_declared_values_that_the_type_cannot_have_are_refused(tmp_path: Path, ways: dict[str, Any]) -> None:
    """2026-11-28: they stood in the lists of values as NULL, which says that the value may be missing."""
    case = case_of({"age": ("INTEGER", [1, 7])}, {"age": ways})
    tree = [("1", "a", "all"), ("7", "a", "all"), ("007", "b", "all"), ("never", "b", "all")]
    refused(tmp_path, replace(case, trees={"tree_0": tree}), "no value of type INTEGER as DuckDB prints it: '007', 'never'")


def test_persons_are_counted_in_new_rows() -> None:
    """2026-11-28: the new rows' blocks were judged by rows, so that three rows of one person seemed to be enough for k = 2."""
    case = case_of({"age": ("INTEGER", [1, 1, 2, 2]), "who": ("INTEGER", [1, 2, 3, 4])}, {"age": {}}, k=2, person="who")
    with duckdb.connect() as connection:
        case.create(connection)
        gensearch_db.anonymize(connection, **case.problem)
        connection.execute("CREATE TABLE fresh AS SELECT 1 AS age, 1 AS who, 'flu' AS illness FROM range(3)")
        connection.execute("INSERT INTO fresh VALUES (2, 1, 'flu'), (2, 2, 'flu')")
        statements = gensearch_db.Connection(connection.cursor())
        (answer,) = statements.execute("ANONYMIZE TABLE fresh INTO again USING RELEASE rel").fetchall()
        assert answer[2:5] == (2, 0, 3)


def test_a_query_at_the_edge_of_128_bits_is_refused_with_its_place() -> None:
    """2026-11-28: as an error about no statement in particular. (DuckDB has no type for the number after the largest.)"""
    largest = 2**127 - 1
    case = case_of({"age": ("HUGEINT", [4, 7] * 2), "other": ("UHUGEINT", [0, 2**128 - 1] * 2)}, {"age": {}, "other": {}})
    with duckdb.connect() as connection:
        case.create(connection)
        gensearch_db.anonymize(connection, **case.problem)
        query = f"SELECT COUNT(*) FROM src WHERE age BETWEEN 7 AND {largest} OR other >= 23"
        with pytest.raises(QueryError, match=r"line 1, column 1.*ends of 'age' \(HUGEINT\) and 'other' \(UHUGEINT\).*narrower"):
            gensearch_db.estimate(connection, "rel", query)


def test_an_estimate_lies_within_its_bounds_where_a_constant_is_far_out() -> None:
    """2026-11-28: 0, with the bounds [3, 3]. No bound of the column is published, its ends were taken to be 1 beside the
    constant, which is nothing beside 7.8e235, and so every condition covered nothing of the interval."""
    far = 7.836371119527436e235
    case = case_of({"age": ("DOUBLE", [far] * 3), "b": ("FLOAT", [0, 1, 1])}, {"age": {"split": "3 quantiles"}, "b": {}})
    with duckdb.connect() as connection:
        case.create(connection)
        gensearch_db.anonymize(connection, **case.problem)
        query = f"SELECT COUNT(*) FROM src WHERE NOT ((b > 0 AND b IS NULL) AND age <> '{far}')"
        (found,) = gensearch_db.estimate(connection, "rel", query).estimates
    assert (found.estimate, found.deviation, found.lower, found.upper) == (3, 0, 3, 3)


def test_what_to_do_at_the_edge_of_128_bits_hangs_on_no_words_of_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """2026-11-28: it was told where the engine's text had INT128 in it."""

    def fail(*_: Any) -> Any:
        raise DataError("in other words")

    monkeypatch.setattr(estimating, "estimate_rows", fail)
    columns = {"age": ("HUGEINT", [4, 7] * 2), "other": ("INTEGER", [0, 9] * 2)}
    case = case_of(columns, {"age": {}, "other": {}}, strategy="enumeration")
    with duckdb.connect() as connection:
        case.create(connection)
        gensearch_db.anonymize(connection, **case.problem)
        with pytest.raises(QueryError, match=r"in other words\. Values at the very ends of 'age' \(HUGEINT\) cannot"):
            gensearch_db.estimate(connection, "rel", "SELECT COUNT(*) FROM src WHERE age > 4 AND other = 9")
        with pytest.raises(QueryError, match="in other words") as refusal:
            gensearch_db.estimate(connection, "rel", "SELECT COUNT(*) FROM src WHERE other = 9")
        assert "ends of" not in str(refusal.value)


WRONG_OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("block_graph", {"price": True}, "strategy 'block_graph' has no option 'price'; did you mean 'prices'?"),
    ("block_graph", {"prices": "false"}, "option 'prices' must be true or false, not 'false'"),
    ("block_graph", {"all_optimal": True, "list_at_most": -1}, "'list_at_most' must be a whole number of at least 0, not -1"),
    ("block_graph", {"list_at_most": 5}, "'list_at_most' goes with all_optimal = true only"),
    ("mondrian", {"bound": "tight"}, "strategy 'mondrian' has no options: leave out bound"),
    ("enumeration", {"prices": True}, "strategy 'enumeration' has no option 'prices'"),
]


@pytest.mark.parametrize(("strategy", "options", "words"), WRONG_OPTIONS)
def test_wrong_options_are_refused_together_with_wrong_names(strategy: str, options: dict[str, Any], words: str) -> None:
    """2026-11-28: only the enumeration looked at them; the others took ``"false"`` for true, and any name for granted."""
    case = case_of({"age": ("INTEGER", [1, 7])}, {"agee": {}}, strategy=strategy, options=options)
    with duckdb.connect() as connection:
        case.create(connection)
        with pytest.raises(SpecificationError, match="did you mean 'age'") as refusal:
            gensearch_db.anonymize(connection, **case.problem)
        assert words in str(refusal.value)


def case_of(columns: dict[str, tuple[str, list[Any]]], quasi_identifiers: dict[str, Any], **fields: Any) -> Case:
    rows = len(next(iter(columns.values()))[1])
    illness, k = fields.pop("illness", ["flu"] * rows), fields.pop("k", 1)
    given = [(name, kind, tuple(values)) for name, (kind, values) in columns.items()]
    problem = {"table": "src", "into": "rel", "quasi_identifiers": quasi_identifiers, "sensitive": ["illness"]}
    problem |= {"subject_to": [f"k_anonymity({k})"], "node_limit": 200}
    return Case((*given, ("illness", "VARCHAR", tuple(illness))), {**problem, **fields})


def refused(folder: Path, case: Case, words: str) -> None:
    with duckdb.connect() as connection:
        case.create(connection)
        before = Surroundings.of(connection, folder)
        with pytest.raises(DataError, match=words):
            gensearch_db.anonymize(connection, **case.problem)
        Surroundings.of(connection, folder).check(before, release=None)
