"""What is wrong with the fields of a problem, in words that say what to write instead.

Pydantic finds it; its own words ("Extra inputs are not permitted") speak of its own world.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gensearch_db.errors import Problems, SpecificationError, near_matches

if TYPE_CHECKING:
    from gensearch_db.problem.columns import Fields

_WANTED = {
    "model_type": 'must be a group of options, as in { split = "every 5" }, or {}',
    "dict_type": "must be a group of named values, as in { age = {} }",
    "tuple_type": 'must be a list, as in ["a", "b"]',
    "string_type": "must be a text",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
}
"""By the type of pydantic's error: what the field must be."""

MEANINGS = {
    "table": "the table, view, file or query to anonymize",
    "into": "the name of the release",
    "quasi_identifiers": "the columns that others could link to a person",
}
"""The fields that every problem has."""


@contextmanager
def in_our_words(model: type[Fields]) -> Iterator[None]:
    """Raise what pydantic finds wrong with the fields of a model as one :class:`SpecificationError`."""
    try:
        yield
    except ValidationError as error:
        problems = Problems(SpecificationError)
        for complaint in _complaints(error, model):
            problems.add(complaint)
        raise problems.together() from error


def _complaints(error: ValidationError, model: type[Fields]) -> Iterator[str]:
    """One sentence for each wrong field."""
    told: set[tuple[int | str, ...]] = set()
    for detail in error.errors():
        place = detail["loc"]
        if place[:1] == ("options",):
            place = place[:2]  # pydantic tells once for each type that an option may have
        if place in told:
            continue
        told.add(place)
        yield _complaint(detail, place, model)


def _complaint(detail: Mapping[str, Any], place: tuple[int | str, ...], model: type[Fields]) -> str:
    kind, where = detail["type"], ".".join(str(part) for part in place)
    if kind == "missing":
        return f"'{where}' is missing: {MEANINGS.get(where, 'it has no default')}"
    if kind == "extra_forbidden":
        above, name = place[:-1], str(place[-1])
        known = (model.groups[str(above[0])] if above else model).model_fields
        return f"{''.join(f'{part}.' for part in above)}{name}: there is no such field{near_matches(name, known)}"
    if place[:1] == ("options",) and len(place) > 1:
        return f"{where}: must be a text, a number, true or false"
    if kind == "value_error":
        return f"{where}: {_own_words(detail)}" if where else _own_words(detail)
    wanted = _WANTED.get(kind) or str(detail["msg"]).replace("Input should be", "must be", 1)
    return f"{where or 'the problem'}: {wanted}{_found(detail['input'])}"


def _own_words(detail: Mapping[str, Any]) -> str:
    return str(detail["msg"]).removeprefix("Value error, ")


def _found(value: Any) -> str:
    """What was written, where that is short."""
    if isinstance(value, bool):
        return f", not {str(value).lower()}"
    return f", not {value!r}" if isinstance(value, str | int | float) else ""
