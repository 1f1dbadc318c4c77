"""What the clauses of several statements share: their order, lists of columns, constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.privacy.registry import CONSTRAINTS
from gensearch_db.problem.calls import parse_call
from gensearch_db.problem.registry import Registry
from gensearch_db.statements.reader import Reader
from gensearch_db.tokens import Kind, Token

Clauses = Mapping[str, Callable[[Reader], dict[str, Any]]]
"""Clauses by their keywords; each reads what follows and gives fields of its statement."""


def read_clauses(reader: Reader, clauses: Clauses) -> tuple[dict[str, Any], dict[str, Token]]:
    """The fields that the rest of the statement gives, and where each clause stands. Any order, each at most once.

    What cannot be read is left to ``reader.problems``: reading goes on with the next clause. Raises :class:`QueryError` or
    :class:`SpecificationError` where no other follows.
    """
    fields: dict[str, Any] = {}
    seen: dict[str, Token] = {}
    while reader.current is not None:
        _read_clause(reader, clauses, fields, seen)
    return fields, seen


def _read_clause(reader: Reader, clauses: Clauses, fields: dict[str, Any], seen: dict[str, Token]) -> None:
    """Read one clause, or skip it to the next that begins, or that was meant to."""
    first = reader.position

    def read() -> None:
        """The clause with its keywords."""
        words = _clause(reader, clauses)
        token = reader.tokens[first]
        if words in seen:
            reader.problems.absorb(reader.error(token, f"{words} stands here for the second time"))
        seen[words] = token
        reader.position += len(words.split())
        fields.update(clauses[words](reader))

    def another(failed: int) -> bool:
        """Whether a later clause begins here, or was meant to."""
        begins = reader.position > first and _begins(reader, clauses) is not None
        return begins or (reader.position > failed and bool(_meant(reader, clauses)))

    reader.attempt(read, another)


def _begins(reader: Reader, clauses: Clauses) -> str | None:
    """The clause whose keywords come next, or None."""
    return next((words for words in clauses if reader.ahead(*words.split())), None)


def _meant(reader: Reader, clauses: Clauses) -> str:
    """The hint which first word of a clause the next token resembles, or the empty string."""
    token = reader.current
    return near_matches(token.text, (words.split()[0] for words in clauses)) if token and token.kind is Kind.WORD else ""


def _clause(reader: Reader, clauses: Clauses) -> str:
    """The keywords of the clause that begins here."""
    if (begun := _begins(reader, clauses)) is not None:
        return begun
    token = reader.current
    assert token is not None
    partial = [words.split() for words in clauses if token.is_word(words.split()[0])]
    if partial:
        count = 1
        while further := [words for words in partial if reader.ahead(*words[: count + 1])]:
            partial, count = further, count + 1
        reader.position += count
        following = dict.fromkeys(words[count] for words in partial)
        raise reader.expected(f"{' or '.join(following)} after {' '.join(partial[0][:count])}", known=following)
    wanted = "a clause" if _meant(reader, clauses) else f"a clause ({', '.join(clauses)})"
    raise reader.expected(wanted, known=[words.split()[0] for words in clauses])


def columns(field: str) -> Callable[[Reader], dict[str, Any]]:
    """A clause of plain column names, ``(a, b, …)``, that gives ``field``."""

    def read(reader: Reader) -> dict[str, Any]:
        """Read the names in brackets."""
        names: list[str] = []
        reader.list_of_columns(lambda: names.append(reader.name("a column")))
        return {field: tuple(names)}

    return read


def subject_to(reader: Reader) -> dict[str, Any]:
    """``constraint AND constraint …`` as the field of that name, without those that there are not."""
    wanted = "a constraint, as in k_anonymity(10)"
    constraints = [read_call(reader, wanted, CONSTRAINTS)]
    while reader.take("AND"):
        constraints.append(read_call(reader, wanted, CONSTRAINTS))
    return {"subject_to": tuple(text for text in constraints if text is not None)}


def read_call(reader: Reader, wanted: str, known: Registry[Any]) -> str | None:
    """``name`` or ``name(…)`` as one line of text; None, and a problem remembered, where ``known`` has no such call."""
    first = reader.position
    reader.name(wanted)
    if (token := reader.current) is not None and token.is_symbol("("):
        reader.skip_parentheses()
    text = reader.text_since(first)
    try:
        call = parse_call(text)
        if call.name not in known:
            reader.problems.absorb(reader.error(reader.tokens[first], known.unknown(call.name)))
            return None
        known.read(call)
    except SpecificationError as error:
        reader.complain(first, error)
        return None
    return text
