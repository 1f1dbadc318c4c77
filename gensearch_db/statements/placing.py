"""Errors met while a statement runs, placed: line, column and a caret under the word that they speak of.

Other rooms know names and not where they stand. Their messages quote the name that is wrong, and it is looked up in the
statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gensearch_db.errors import DataError, GensearchError, Problems, QueryError, SpecificationError
from gensearch_db.statements.syntax import Place
from gensearch_db.tokens import Kind, Token, pointed, tokenize

_NAMED = re.compile(r"'((?:[^']|'')+)'|\bcolumn \"([^\"]+)\"|\btable ((?:\"(?:[^\"]|\"\")*\"|[^\s\";,:'])+)")
_OPTION = re.compile(r"\boption '([^'\"]+)'")
_PLACED = re.compile(r"line \d+, column \d+: ")
_HINT = "; did you mean"


@contextmanager
def placed(place: Place | None) -> Iterator[None]:
    """Give errors about the request or its data the place in the script that they speak of, their class unchanged."""
    try:
        yield
    except (SpecificationError, DataError, QueryError) as error:
        if place is None or _PLACED.match(str(error)):
            raise
        raise _placed_error(error, place) from error


def _placed_error(error: GensearchError, place: Place) -> GensearchError:
    tokens = [token for token in tokenize(place.script) if place.start <= token.start < place.end]
    if not error.problems:
        return type(error)(_placed_message(str(error), place, tokens))
    problems = Problems(type(error))
    for problem in error.problems:
        problems.add(problem if _PLACED.match(problem) else _placed_message(problem, place, tokens))
    return problems.together()


def _placed_message(message: str, place: Place, tokens: Sequence[Token]) -> str:
    span = _span(message.partition(_HINT)[0], tokens) or tokens[:1]
    first, _, rest = message.partition("\n")
    text = pointed(place.script, span[0].start, span[-1].end, first)
    return f"{text}\n{rest}" if rest else text


def _span(message: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens that the message speaks of: the first thing it names, and within that the last one it names besides."""
    option = _OPTION.search(message)
    if option is not None:
        return _find(f'"{option[1]}" =', tokens)[:1]
    span: Sequence[Token] = ()
    for found in _NAMED.finditer(message):
        span = _find(found[found.lastindex or 0], span or tokens) or span
    return span


def _find(name: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """Where a name, or a longer piece of a statement, stands among the tokens."""
    for position, token in enumerate(tokens):
        if token.kind in (Kind.WORD, Kind.QUOTED) and token.name.casefold() == name.casefold():
            return tokens[position : position + 1]
    try:
        wanted = [token.name.casefold() for token in tokenize(name)]
    except QueryError:
        return ()
    for position in range(len(tokens) - len(wanted) + 1 if wanted else 0):
        if [token.name.casefold() for token in tokens[position : position + len(wanted)]] == wanted:
            return tokens[position : position + len(wanted)]
    return ()
