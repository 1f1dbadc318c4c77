"""A problem's fields as an ``ANONYMIZE`` statement (DESIGN 5), for the cases that are also run as SQL."""

from __future__ import annotations

from typing import Any

from .naming import literal, quoted


def statement(problem: dict[str, Any]) -> str:
    """The statement that asks for the same as ``problem``."""
    lines = [f"ANONYMIZE TABLE {problem['table']} INTO {problem['into']}"]
    if "identifiers" in problem:
        lines.append(f"IDENTIFIERS ({_names(problem['identifiers'])})")
    if "person" in problem:
        lines.append(f"PERSON ({quoted(problem['person'])})")
    attributes = (f"{quoted(name)} {_kind(given)}".strip() for name, given in problem["quasi_identifiers"].items())
    lines.append(f"QUASI IDENTIFIERS ({', '.join(attributes)})")
    if "sensitive" in problem:
        lines.append(f"SENSITIVE ({_declared(problem['sensitive'])})")
    if "keep" in problem:
        lines.append(f"KEEP ({_names(problem['keep'])})")
    if "subject_to" in problem:
        lines.append("SUBJECT TO " + " AND ".join(problem["subject_to"]))
    if "suppress_at_most" in problem:
        lines.append(f"SUPPRESS AT MOST {problem['suppress_at_most']} PERCENT")
    lines += _ending(problem)
    return "\n".join(lines)


def _ending(problem: dict[str, Any]) -> list[str]:
    lines = []
    if "minimize" in problem:
        lines.append(f"MINIMIZE {problem['minimize']}")
    if "strategy" in problem:
        options = ", ".join(f"{name} = {_option(value)}" for name, value in problem.get("options", {}).items())
        lines.append(f"USING {problem['strategy']}" + (f" ({options})" if options else ""))
    if "statistics" in problem:
        lines.append(f"STATISTICS {problem['statistics']}")
    if problem.get("typed_columns"):
        lines.append("WITH TYPED COLUMNS")
    if "labels" in problem:
        lines.append(f"LABELS {problem['labels']}")
    if "node_limit" in problem:
        lines.append(f"NODE LIMIT {problem['node_limit']}")
    if "stop_after" in problem:
        lines.append(f"STOP AFTER INTERVAL {problem['stop_after']}")
    if "stop_within" in problem:
        lines.append(f"STOP WITHIN {problem['stop_within']} OF OPTIMAL")
    if "memory_limit" in problem:
        lines.append(f"MEMORY LIMIT '{problem['memory_limit']} MB'")
    if "threads" in problem:
        lines.append(f"THREADS {problem['threads']}")
    return lines


def _option(value: Any) -> str:
    return literal(value) if isinstance(value, str) else str(value).lower()


def _names(names: list[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _declared(sensitive: list[str] | dict[str, dict[str, Any]]) -> str:
    """Sensitive columns, each with the order or taxonomy of its values."""
    if isinstance(sensitive, list):
        return _names(sensitive)
    return ", ".join(f"{quoted(name)} {_kind(given)}".strip() for name, given in sensitive.items())


def _kind(given: dict[str, Any]) -> str:
    words = []
    if "split" in given:
        words.append("SPLIT " + _split(given["split"]))
    if "taxonomy" in given:
        words.append("TAXONOMY " + given["taxonomy"])
    if given.get("order") is True:
        words.append("ORDERED")
    elif given.get("order"):
        words.append(f"ORDERED ({', '.join(literal(value) for value in given['order'])})")
    words += [word.upper() for word in ("prefix", "unordered", "relaxed") if given.get(word)]
    if "domain" in given:
        bounds = (literal(bound) if isinstance(bound, str) else str(bound) for bound in given["domain"])
        words.append(f"DOMAIN ({', '.join(bounds)})")
    words += [f"{field.replace('_', ' ').upper()} {given[field]}" for field in ("weight", "minimum_length") if field in given]
    if "timezone" in given:
        words.append(f"TIMEZONE {literal(given['timezone'])}")
    return " ".join(words)


def _split(split: str) -> str:
    """``at 2000-01-01, 2020-02-29`` has its dates in quotes; all else stands as it is."""
    kind, _, rest = split.partition(" ")
    if kind != "at" or rest.count("-") < 2:
        return split.upper()
    return "AT " + ", ".join(literal(part.strip()) for part in rest.split(","))
