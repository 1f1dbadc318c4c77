"""What each fault led to, for the table in ``docs/reliability.md`` (written by ``python -m tests.faults.report``)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

FILE = "GENSEARCH_FAULT_OUTCOMES"
"""Where a report run wants the outcomes, one JSON object per line; unset in an ordinary run of the tests."""


def record(fault: str, moment: str, outcomes: Mapping[str, int] | str) -> None:
    """One line of the table: the fault, when it struck, and what was found afterwards (how often, where repeated)."""
    file = os.environ.get(FILE)
    if file is None:
        return
    text = (
        outcomes if isinstance(outcomes, str) else ", ".join(f"{name} ({count}x)" for name, count in sorted(outcomes.items()))
    )
    with Path(file).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({"fault": fault, "moment": moment, "outcome": text}) + "\n")
