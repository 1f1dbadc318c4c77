"""Writing a :class:`Problem` as an ANONYMIZE statement that reads back as the same problem."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from gensearch_db.database.names import written_name
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.calls import plain
from gensearch_db.problem.columns import QuasiIdentifier, SensitiveColumn
from gensearch_db.problem.files import is_file
from gensearch_db.problem.problem import Problem
from gensearch_db.statements.reader import written_string


def statement_of(problem: Problem, replace: bool = False) -> str:
    """The problem as SQL, one clause a line, only what differs from the defaults. ``parse_script`` reads it back.

    Raises :class:`SpecificationError` for a problem that no statement can say (an option with a strange name).
    """
    source = problem.table if problem.table.startswith("(") else f"TABLE {_source(problem.table)}"
    lines = [f"ANONYMIZE {source} INTO {problem.into}" + (" REPLACE" if replace else "")]
    lines += _roles(problem)
    if problem.subject_to:
        lines.append("SUBJECT TO " + " AND ".join(problem.subject_to))
    default = _defaults()
    if problem.suppress_at_most:
        lines.append(f"SUPPRESS AT MOST {decimal(problem.suppress_at_most)} PERCENT")
    if problem.minimize != default["minimize"]:
        lines.append(f"MINIMIZE {problem.minimize}")
    if problem.strategy != default["strategy"] or problem.options:
        lines.append(f"USING {problem.strategy.value}{_options(problem)}")
    if problem.labels != default["labels"]:
        lines.append(f"LABELS {problem.labels.value.upper()}")
    if problem.typed_columns:
        lines.append("WITH TYPED COLUMNS")
    if problem.statistics != default["statistics"]:
        lines.append(f"STATISTICS {problem.statistics.value}")
    lines += _limits(problem)
    return "\n  ".join(lines)


def decimal(value: float | int) -> str:
    """A number without exponent that reads back as the same number."""
    return format(Decimal(repr(value)), "f").removesuffix(".0")


def _defaults() -> dict[str, Any]:
    return {name: field.default for name, field in Problem.model_fields.items()}


def _source(table: str) -> str:
    return written_string(table) if is_file(table) else table


def _roles(problem: Problem) -> list[str]:
    lines = []
    for clause, names in (
        ("IDENTIFIERS", problem.identifiers),
        ("PERSON", (problem.person,) if problem.person else ()),
    ):
        if names:
            lines.append(f"{clause} ({', '.join(map(written_name, names))})")
    attributes = [f"{written_name(name)}{_attribute(spec)}" for name, spec in problem.quasi_identifiers.items()]
    lines.append("QUASI IDENTIFIERS (" + "".join(f"\n    {text}," for text in attributes).removesuffix(",") + ")")
    if problem.sensitive:
        declared = (f"{written_name(name)}{_sensitive(spec)}" for name, spec in problem.sensitive.items())
        lines.append(f"SENSITIVE ({', '.join(declared)})")
    if problem.keep:
        lines.append(f"KEEP ({', '.join(map(written_name, problem.keep))})")
    return lines


def _sensitive(spec: SensitiveColumn) -> str:
    return "".join(f" {word}" for word in (*_order(spec.order), *_taxonomy(spec.taxonomy)))


def _order(order: tuple[str, ...] | bool | None) -> list[str]:
    if isinstance(order, tuple):
        return [f"ORDERED ({', '.join(map(written_string, order))})"]
    return ["ORDERED"] if order else []


def _taxonomy(taxonomy: str | None) -> list[str]:
    return [] if taxonomy is None else [f"TAXONOMY {_source(taxonomy)}"]


def _attribute(spec: QuasiIdentifier) -> str:
    words: list[str] = []
    if spec.split is not None:
        words.append(f"SPLIT {_split(spec.split)}")
    words += [*_order(spec.order), *_taxonomy(spec.taxonomy)]
    words += [
        word for word, given in (("PREFIX", spec.prefix), ("UNORDERED", spec.unordered), ("RELAXED", spec.relaxed)) if given
    ]
    if spec.domain is not None:
        words.append(f"DOMAIN ({', '.join(map(_bound, spec.domain))})")
    if spec.weight != 1:
        words.append(f"WEIGHT {decimal(spec.weight)}")
    if spec.minimum_length:
        words.append(f"MINIMUM LENGTH {decimal(spec.minimum_length)}")
    if spec.timezone is not None:
        words.append(f"TIMEZONE {written_string(spec.timezone)}")
    return "".join(f" {word}" for word in words)


def _split(split: str) -> str:
    kind, _, rest = split.strip().partition(" ")
    if kind.lower() != "at":
        return split.upper()
    return "AT (" + ", ".join(_boundary(part.strip()) for part in rest.strip().strip("()").split(",")) + ")"


def _boundary(text: str) -> str:
    text = text.strip("'")
    try:
        return plain(Fraction(text)) if "/" not in text else written_string(text)
    except ValueError:
        return written_string(text)


def _bound(value: str | int | float) -> str:
    return written_string(value) if isinstance(value, str) else _typed(value)


def _typed(value: int | float) -> str:
    """A number that keeps its type: floats have a point."""
    text = format(Decimal(repr(value)), "f")
    return text if isinstance(value, int) or "." in text else f"{text}.0"


def _options(problem: Problem) -> str:
    if not problem.options:
        return ""
    return " (" + ", ".join(f"{written_name(name)} = {_option(name, value)}" for name, value in problem.options.items()) + ")"


def _option(name: str, value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return written_string(value)
    try:
        return _typed(value)
    except ValueError:
        raise SpecificationError(f"option '{name}' has the value {value}, which no statement can write") from None


def _limits(problem: Problem) -> list[str]:
    lines = []
    default = _defaults()
    if problem.stop_after != default["stop_after"]:
        lines.append(f"STOP AFTER INTERVAL {decimal(problem.stop_after)} SECONDS")
    if problem.stop_within != 1:
        lines.append(f"STOP WITHIN {decimal(problem.stop_within)} OF OPTIMAL")
    if problem.node_limit is not None:
        lines.append(f"NODE LIMIT {problem.node_limit}")
    if problem.memory_limit is not None:
        lines.append(f"MEMORY LIMIT '{problem.memory_limit} MB'")
    if problem.threads is not None:
        lines.append(f"THREADS {problem.threads}")
    return lines
