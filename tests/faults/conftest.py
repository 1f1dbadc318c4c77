"""The house that faults strike: built once for each file of tests, copied for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from .house import House


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House.build(tmp_path_factory.mktemp("built") / "people.duckdb")


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    return built.copied_to(tmp_path / "people.duckdb")
