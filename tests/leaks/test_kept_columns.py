"""An identifier that rides along as a kept column: the owner is warned wherever he looks."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import main
from gensearch_db.database.audit.report import Verdict

SOURCE = """
CREATE TABLE people AS SELECT 20 + i % 40 AS age, 'K' || i AS card, ['x', 'y'][1 + i % 2] AS ward, nullif(i, i) AS nothing,
       CASE WHEN i % 4 = 0 THEN i END AS seldom, (i // 3)::DOUBLE AS triple, 'flu' AS illness
FROM range(200) AS r(i)
"""
KEEP = ["card", "ward", "nothing", "seldom", "triple"]
PROBLEM: dict[str, Any] = {
    "quasi_identifiers": {"age": {"split": "every 10"}},
    "sensitive": ["illness"],
    "strategy": "mondrian",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SOURCE)
    return path


def test_the_audit_warns_of_columns_whose_values_few_rows_share(file: Path) -> None:
    release = gensearch_db.anonymize(str(file), "people", into="r", keep=KEEP, k=4, **PROBLEM)
    found = {check.column: check for check in release.audit.checks if check.name == "kept_values"}
    assert {name: (check.verdict, check.reached, check.violations) for name, check in found.items()} == {
        "card": (Verdict.WARNING, 200, 200),
        "ward": (Verdict.MEASURED, 0, 0),
        "nothing": (Verdict.MEASURED, 0, 0),
        "seldom": (Verdict.WARNING, 50, 50),
        "triple": (Verdict.WARNING, 200, 67),
    }
    warned = "WARNING  kept_values: card: 200 of 200 rows have a value that fewer than 4 rows share (200 different values), so"
    assert warned in release.to_text()
    assert {"name": "kept_values", "verdict": "WARNING", "column": "card"}.items() <= next(
        check.items() for check in release.to_dict()["audit"]["checks"] if check["column"] == "card"
    )
    assert release.audit.passed


def test_where_k_is_smaller_shared_values_are_nobodys_own(file: Path) -> None:
    release = gensearch_db.anonymize(
        str(file),
        "people",
        into="r",
        keep=["triple"],
        subject_to=["distinct_l_diversity(1)"],
        **PROBLEM,
    )
    check = release.audit.check("kept_values", "triple")
    assert (check.verdict, check.reached) == (Verdict.MEASURED, 0)
    assert "fewer than 2 rows" in check.message


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints on both streams."""
    with suppress(SystemExit):
        main([*arguments])
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_the_command_and_publish_warn(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gensearch_db.anonymize(str(file), "people", into="r", keep=["card", "ward"], k=4, **PROBLEM)
    warned = "kept_values: card: 200 of 200 rows have a value that fewer than 4 rows share"
    assert f"WARNING  {warned}" in printed(capsys, "audit", str(file), "r")
    report = json.loads(printed(capsys, "audit", str(file), "r", "--json"))
    assert [check["verdict"] for check in report["checks"] if check["name"] == "kept_values"] == ["WARNING", "MEASURED"]
    copy = str(tmp_path / "out.duckdb")
    told = printed(capsys, "publish", str(file), "r", "--to", copy)
    assert "gensearch: warning: r: kept column card: 200 of 200 rows" in told
    assert "ward" not in told
    with gensearch_db.connect(str(file)) as connection:
        rows = connection.execute(f"PUBLISH r TO '{tmp_path / 'out' / '*.csv'}'").fetchall()
        assert all("kept column card: 200 of 200 rows have a value that fewer than 4" in str(row[-1]) for row in rows)
    assert f"WARNING  {warned}" in printed(capsys, "audit", copy, "r", "--k", "4")
