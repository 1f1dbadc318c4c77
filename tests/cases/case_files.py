"""Reading the case files: one TOML file per field case, see README.md beside this module for the format."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Check:
    """A query and the rows it must give: a fact about the input, or what must hold after a step."""

    query: str
    rows: list[list[Any]]


@dataclass(frozen=True)
class Estimate:
    """A count query and its answer: a number, or the class of an error with the words its message must hold."""

    query: str
    value: float | None = None
    tolerance: float = 1e-9
    error: str | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing that is done, and what must come of it. Exactly one of sql, problem, audit and estimates is given."""

    name: str = ""
    sql: str | None = None
    problem: dict[str, Any] | None = None
    audit: dict[str, Any] | None = None
    estimates: tuple[Estimate, ...] = ()
    release: str | None = None
    expect: dict[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    entries: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """One field case: tables, facts about them, steps. ``shuffle`` is off where a step names rows by position."""

    path: Path
    case: str
    title: str
    source: str
    setup: str
    steps: tuple[Step, ...]
    facts: tuple[Check, ...] = ()
    shuffle: bool = True

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


EXPECTATIONS = {
    "error", "words", "absent", "columns", "rows", "suppressed", "sizes", "labels", "k", "l", "t", "status", "unit", "text",
    "passed",
}  # fmt: skip


def load(path: Path) -> Case:
    """Read one file. A key that the format does not know is an error: a misspelt expectation would pass unseen."""
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    facts = tuple(Check(**fact) for fact in fields.pop("facts", ()))
    steps = tuple(_step(path, step) for step in fields.pop("steps"))
    return Case(path=path, facts=facts, steps=steps, **fields)


def _step(path: Path, fields: dict[str, Any]) -> Step:
    checks = tuple(Check(**check) for check in fields.pop("checks", ()))
    estimates = tuple(Estimate(**{**e, "words": tuple(e.get("words", ()))}) for e in fields.pop("estimates", ()))
    entries = fields.pop("entries", None)
    step = Step(checks=checks, estimates=estimates, entries=tuple(entries) if entries else None, **fields)
    kinds = [step.sql is not None, step.problem is not None, step.audit is not None, bool(step.estimates)]
    if sum(kinds) != 1:
        raise ValueError(f"{path.name}: step {step.name!r} must have exactly one of sql, problem, audit, estimates")
    unknown = set(step.expect) - EXPECTATIONS
    if unknown:
        raise ValueError(f"{path.name}: step {step.name!r} expects unknown things: {sorted(unknown)}")
    return step


def all_cases() -> list[Case]:
    """Every case file of this folder, by name."""
    return [load(path) for path in sorted(FOLDER.glob("*.toml"))]
