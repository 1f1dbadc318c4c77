"""What the clauses of several statements share: their order, lists of columns, constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.privacy.registry import CONSTRAINTS
from gensearch_db.problem.calls import parse_call
from gensearch_db.statements.reader import Reader
from gensearch_db.tokens import Token

Clauses = Mapping[str, Callable[[Reader], dict[str, Any]]]
"""Clauses by their keywords; each reads what follows and gives fields of its statement."""


def read_clauses(reader: Reader, clauses: Clauses) -> tuple[dict[str, Any], dict[str, Token]]:
    """The fields that the rest of the statement gives, and where each clause stands. Any order, each at most once.

    Raises :class:`QueryError` or :class:`SpecificationError`.
    """
    fields: dict[str, Any] = {}
    seen: dict[str, Token] = {}
    while (token := reader.current) is not None:
        words = _clause(reader, clauses)
        if words in seen:
            raise reader.error(token, f"{words} stands here for the second time")
        seen[words] = token
        reader.position += len(words.split())
        fields |= clauses[words](reader)
    return fields, seen


def _clause(reader: Reader, clauses: Clauses) -> str:
    """The keywords of the clause that begins here."""
    for words in clauses:
        if reader.ahead(*words.split()):
            return words
    token = reader.current
    assert token is not None
    partial = [words for words in clauses if token.is_word(words.split()[0])]
    if partial:
        reader.position += 1
        following = dict.fromkeys(words.split()[1] for words in partial)
        raise reader.expected(f"{' or '.join(following)} after {token.text.upper()}", known=following)
    first_words = {words.split()[0]: words for words in clauses}
    hint = "a clause" if near_matches(token.text, first_words) else f"a clause ({', '.join(clauses)})"
    raise reader.expected(hint, known=first_words)


def columns(field: str) -> Callable[[Reader], dict[str, Any]]:
    """A clause of plain column names, ``(a, b, …)``, that gives ``field``."""

    def read(reader: Reader) -> dict[str, Any]:
        """Read the names in brackets."""
        names: list[str] = []
        reader.list_of(lambda: names.append(reader.name("a column")))
        return {field: tuple(names)}

    return read


def subject_to(reader: Reader) -> dict[str, Any]:
    """``constraint AND constraint …`` as the field of that name."""
    constraints = [_constraint(reader)]
    while reader.take("AND"):
        constraints.append(_constraint(reader))
    return {"subject_to": tuple(constraints)}


def _constraint(reader: Reader) -> str:
    first = reader.position
    text = read_call(reader, "a constraint, as in k_anonymity(10)")
    try:
        call = parse_call(text)
        if call.name not in CONSTRAINTS:
            raise reader.error(reader.tokens[first], unknown("constraint", call.name, CONSTRAINTS))
        CONSTRAINTS[call.name].from_call(call)
    except SpecificationError as error:
        raise reader.wrap(first, str(error)) from None
    return text


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The complaint about a name that is not among the ``known`` ones."""
    return f"there is no {what} '{name}'{near_matches(name, known) or '; there are ' + ', '.join(known)}"


def read_call(reader: Reader, wanted: str) -> str:
    """``name`` or ``name(…)`` as one line of text."""
    first = reader.position
    reader.name(wanted)
    if (token := reader.current) is not None and token.is_symbol("("):
        reader.skip_parentheses()
    return reader.text_since(first)
