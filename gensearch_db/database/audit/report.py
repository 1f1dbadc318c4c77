"""What an audit says: one line per check, with its verdict, the value reached, what was required and how many rows broke it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from gensearch_db.printable import printable

NULL_RULE = "NULL (and NaN) is a value of its own in quasi-identifiers, and never counts as diversity in sensitive columns"
"""Which reading of missing values every number of an audit follows."""


class Verdict(StrEnum):
    """The outcome of one check. Append-only."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    WARNING = "WARNING"
    """Nothing was required, but the owner should know."""
    MEASURED = "MEASURED"
    """Nothing was required."""
    SKIPPED = "SKIPPED"
    """It could not be checked; the message says why."""


@dataclass(frozen=True)
class Check:
    """One check. ``reached`` and ``required`` are in the check's own quantity (None: not defined); ``violations`` counts
    what broke it: blocks, rows or values, as ``message`` says."""

    name: str
    verdict: Verdict
    message: str
    reached: float | None = None
    required: float | str | None = None
    violations: int = 0
    column: str | None = None


@dataclass(frozen=True)
class AuditReport:
    """The audit of one table as it stands now.

    ``unit`` says whether k counts rows or persons. ``rows`` and ``blocks`` are those released; ``rows_suppressed`` is None
    where nobody knows (a foreign table without a suppression marker).
    """

    release: str
    unit: str
    rows: int
    blocks: int
    rows_suppressed: int | None
    checks: tuple[Check, ...]
    null_rule: str = NULL_RULE

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Check, ...]:
        """The failed checks."""
        return tuple(check for check in self.checks if check.verdict is Verdict.FAILED)

    @property
    def warnings(self) -> tuple[Check, ...]:
        """What was not required but should be known."""
        return tuple(check for check in self.checks if check.verdict is Verdict.WARNING)

    def check(self, name: str, column: str | None = None) -> Check:
        """The check of this name (and column). Raises ``KeyError``."""
        for check in self.checks:
            if check.name == name and column in (None, check.column):
                return check
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON."""
        fields = asdict(self)
        fields["passed"] = self.passed
        fields["checks"] = [{**asdict(check), "verdict": check.verdict.value} for check in self.checks]
        return fields

    def to_text(self) -> str:
        """The report as lines of text."""
        suppressed = "" if self.rows_suppressed is None else f", {self.rows_suppressed} suppressed"
        lines = [
            f"Audit of {self.release}: {'PASSED' if self.passed else 'FAILED'}",
            f"  {self.rows} rows in {self.blocks} blocks{suppressed}; sizes count {self.unit}",
            f"  {self.null_rule}",
        ]
        lines += [f"  {check.verdict.value:<8} {check.name}: {check.message}" for check in self.checks]
        return printable("\n".join(lines))
