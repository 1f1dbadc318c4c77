"""Reading one quasi-identifier with its options: ``age SPLIT EVERY 5 DOMAIN (0, 120)``.

The same options stand in the QUASI IDENTIFIERS clause and in column comments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gensearch_db.errors import SpecificationError
from gensearch_db.problem.calls import plain
from gensearch_db.problem.columns import QuasiIdentifier, SensitiveColumn
from gensearch_db.statements.reader import Reader
from gensearch_db.tokens import Kind

Option = Callable[[Reader], dict[str, Any]]
Column = TypeVar("Column", QuasiIdentifier, SensitiveColumn)

TIME_UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DECADE", "CENTURY")


def read_attribute(reader: Reader) -> tuple[str, QuasiIdentifier]:
    """A column's name and its options. Raises :class:`QueryError` with a caret for what cannot be read."""
    first = reader.position
    name = reader.name("a column")
    return name, read_options(reader, first)


def read_sensitive(reader: Reader) -> tuple[str, SensitiveColumn]:
    """A sensitive column's name and what is declared of its values. Raises :class:`QueryError` with a caret."""
    first = reader.position
    name = reader.name("a column")
    return name, _read(reader, first, SensitiveColumn, {word: OPTIONS[word] for word in ("ORDERED", "TAXONOMY")})


def read_options(reader: Reader, first: int) -> QuasiIdentifier:
    """The options that follow; complaints about their combination point at the tokens from ``first``."""
    return _read(reader, first, QuasiIdentifier, OPTIONS)


def _read(reader: Reader, first: int, model: type[Column], options: Mapping[str, Option]) -> Column:
    fields: dict[str, Any] = {}
    while (token := reader.current) is not None and token.kind is not Kind.SYMBOL:
        option = options.get(token.text.upper()) if token.kind is Kind.WORD else None
        if option is None:
            raise reader.expected("an option of the column, ',' or ')'", known=options)
        reader.position += 1
        for field, value in option(reader).items():
            if field in fields:
                raise reader.error(token, f"{token.text.upper()} is given twice for this column")
            fields[field] = value
    try:
        return model(**fields)
    except SpecificationError as error:
        for complaint in error.problems or (str(error),):
            reader.problems.absorb(reader.wrap(first, complaint))
        return model()


def _split(reader: Reader) -> dict[str, Any]:
    if reader.take("EVERY"):
        return {"split": "every " + _step(reader)}
    if reader.take("AT"):
        return {"split": "at " + ", ".join(_boundaries(reader))}
    if reader.take("ANYWHERE"):
        return {"split": "anywhere"}
    token = reader.current
    if token is not None and token.kind is Kind.NUMBER:
        count = reader.whole_number("a number of quantiles")
        reader.require("QUANTILES")
        return {"split": f"{count} quantiles"}
    raise reader.expected("EVERY, AT, ANYWHERE or a number of QUANTILES after SPLIT", known=("EVERY", "AT", "ANYWHERE"))


def _step(reader: Reader) -> str:
    """``5``, ``0.5``, ``MONTH``, ``3 MONTHS``."""
    token = reader.current
    words: list[str] = []
    if token is not None and token.kind is Kind.NUMBER:
        step = reader.number("a step")
        if step <= 0:
            raise reader.error(token, "a step must be greater than 0")
        words.append(plain(step))
    unit = reader.current
    if unit is not None and unit.kind is Kind.WORD and unit.text.upper().removesuffix("S") in _UNIT_STEMS:
        reader.position += 1
        words.append(unit.text.lower())
    if not words:
        raise reader.expected("a number or a unit of time", known=TIME_UNITS)
    return " ".join(words)


_UNIT_STEMS = {*TIME_UNITS, "CENTURIE"}


def _boundaries(reader: Reader) -> list[str]:
    """``(22, 26, 31)`` or ``22, 26, 31``; dates as strings. A comma before a name belongs to the list of columns."""
    found: list[str] = []
    if (token := reader.current) is not None and token.is_symbol("("):
        reader.list_of(lambda: found.append(_boundary(reader)))
        return found
    found.append(_boundary(reader))
    while _boundary_follows(reader):
        reader.require_symbol(",")
        found.append(_boundary(reader))
    return found


def _boundary_follows(reader: Reader) -> bool:
    following = reader.tokens[reader.position : reader.position + 2]
    if len(following) < 2 or not following[0].is_symbol(","):
        return False
    return following[1].kind in (Kind.NUMBER, Kind.STRING) or following[1].is_symbol("-")


def _boundary(reader: Reader) -> str:
    token = reader.current
    if token is not None and token.kind is Kind.STRING:
        text = reader.string()
        if "," in text or not text.strip():
            raise reader.error(token, "a boundary is one number or one date, as in '2020-01-31'")
        return text.strip()
    return plain(reader.number("a boundary: a number, or a date as 'string'"))


def _taxonomy(reader: Reader) -> dict[str, Any]:
    token = reader.current
    if token is not None and token.is_symbol("("):
        raise reader.expected("the table of the taxonomy, or a CSV file as 'string'")
    return {"taxonomy": reader.source("the table of the taxonomy, or a CSV file as 'string'")}


def _ordered(reader: Reader) -> dict[str, Any]:
    if (token := reader.current) is None or not token.is_symbol("("):
        return {"order": True}
    values: list[str] = []
    reader.list_of(lambda: values.append(_category(reader)))
    return {"order": tuple(values)}


def _category(reader: Reader) -> str:
    token = reader.current
    if token is not None and token.kind is Kind.STRING:
        return reader.string()
    if token is not None and (token.kind is Kind.NUMBER or token.is_symbol("-")):
        return plain(reader.number())
    return reader.name("a value")


def _domain(reader: Reader) -> dict[str, Any]:
    values: list[str | int | float] = []
    opening = reader.current
    reader.list_of(lambda: values.append(_bound(reader)))
    if len(values) != 2:
        assert opening is not None
        raise reader.error(opening, f"DOMAIN takes two values, the lowest and the highest, not {len(values)}")
    return {"domain": (values[0], values[1])}


def _bound(reader: Reader) -> str | int | float:
    token = reader.current
    if token is not None and token.kind is Kind.STRING:
        return reader.string()
    return reader.plain_number("a bound: a number, or a date as 'string'")


def _weight(reader: Reader) -> dict[str, Any]:
    return {"weight": float(reader.number("a weight"))}


def _minimum_length(reader: Reader) -> dict[str, Any]:
    reader.require("LENGTH")
    return {"minimum_length": float(reader.number("a length"))}


OPTIONS: dict[str, Option] = {
    "SPLIT": _split,
    "TAXONOMY": _taxonomy,
    "RELAXED": lambda reader: {"relaxed": True},
    "PREFIX": lambda reader: {"prefix": True},
    "ORDERED": _ordered,
    "UNORDERED": lambda reader: {"unordered": True},
    "DOMAIN": _domain,
    "WEIGHT": _weight,
    "MINIMUM": _minimum_length,
    "TIMEZONE": lambda reader: {"timezone": reader.string("a time zone as 'string'")},
}
"""Every option of a column by its first word; each reads what follows and gives fields of a :class:`QuasiIdentifier`."""
