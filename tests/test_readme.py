"""The README's example is run as it stands, and must print what the README says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import duckdb
import pytest

from gensearch_db.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    """The example's commands, continued lines joined."""
    blocks = re.findall(r"```\n(gensearch .*?)```", README, re.DOTALL)
    lines = blocks[0].replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.strip()]


def printed_rows() -> list[tuple[str, ...]]:
    """The release as the README prints it."""
    (block,) = re.findall(r"```\n(age .*?)```", README, re.DOTALL)
    _, *rows = block.strip().splitlines()
    return [tuple(cell.strip() for cell in row.split("|")) for row in rows]


def test_the_example_does_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "people.sql").write_text((ROOT / "docs" / "people.sql").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(commands()) == 2
    for arguments in commands():
        main(arguments)  # a failure exits
    answer = capsys.readouterr().out
    assert "OPTIMAL" in answer
    assert "ncp 10.33" in answer
    with duckdb.connect("people.duckdb") as connection:
        assert connection.execute("FROM people_release").fetchall() == printed_rows()


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
