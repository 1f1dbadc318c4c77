"""Every case file, through every entry point, with its rows shuffled, and the invariants on each release."""

from __future__ import annotations

import pytest

from .case_files import Case, all_cases
from .runner import VARIANTS, reference, run


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
class TestCases:
    def test_python(self, case: Case) -> None:
        reference(case)

    @pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "python"])
    def test_other_ways_give_the_same(self, case: Case, variant: str) -> None:
        expected = reference(case)
        for release, tables in run(case, variant).items():
            assert tables == expected[release], f"{case.case}: {release} differs from the plain run"
