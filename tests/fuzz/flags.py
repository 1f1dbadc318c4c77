"""A problem as flags of ``gensearch anonymize``, where they can say it."""

from __future__ import annotations

from typing import Any

SAID = {
    "person": "person",
    "minimize": "minimize",
    "suppress_at_most": "suppress-at-most",
    "strategy": "strategy",
    "stop_within": "stop-within",
    "stop_after": "stop-after",
    "node_limit": "node-limit",
    "memory_limit": "memory-limit",
    "threads": "threads",
    "labels": "labels",
    "statistics": "statistics",
    "table": "table",
    "into": "into",
}
"""Fields of a problem that are a flag with a value."""


def flags(problem: dict[str, Any]) -> list[str] | None:
    """The flags; None where a field, or how a column is generalized, has no flag."""
    lists = {"quasi_identifiers", "sensitive", "keep", "subject_to", "typed_columns"}
    if set(problem) - set(SAID) - lists:
        return None
    sensitive = problem.get("sensitive", [])
    lines = {
        "quasi-identifier": [_line(name, ways) for name, ways in problem["quasi_identifiers"].items()],
        "sensitive": [_line(name, ways) for name, ways in sensitive.items()] if isinstance(sensitive, dict) else sensitive,
        "keep": problem.get("keep", []),
        "subject-to": problem.get("subject_to", []),
    }
    if any(None in each for each in lines.values()):
        return None
    written = [f"--{flag}={problem[field]}" for field, flag in SAID.items() if field in problem]
    written += [f"--{flag}={value}" for flag, values in lines.items() for value in values]
    return written + ["--typed-columns"] * bool(problem.get("typed_columns"))


def _line(name: str, ways: dict[str, Any]) -> str | None:
    """``name: how``; every name in quotes."""
    how = _how(ways)
    quoted = '"' + name.replace('"', '""') + '"'
    return None if how is None else f"{quoted}: {how}" if how else quoted


def _how(ways: dict[str, Any]) -> str | None:
    match ways:
        case {"split": split, **rest} if not rest:
            return str(split)
        case {"order": True, **rest} if not rest:
            return "ordered"
        case {"order": [*values], **rest} if not rest:
            plain = all(value == value.strip() and value and "," not in value for value in values)
            return f"order {', '.join(values)}" if plain else None
        case {"taxonomy": tree, **rest} if set(rest) <= {"relaxed"}:
            return ("relaxed " if rest else "") + f"taxonomy {tree}"
        case {"prefix": True, **rest} | {"unordered": True, **rest} if not rest:
            return next(iter(ways))
    return "" if not ways else None
