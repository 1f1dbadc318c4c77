"""Reading a script: every statement of it, ours and DuckDB's, before any of them runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from gensearch_db.errors import Problems, QueryError, SpecificationError
from gensearch_db.statements.anonymize_clauses import read_anonymize
from gensearch_db.statements.clauses import Clauses, columns, read_clauses, subject_to
from gensearch_db.statements.placing import placed
from gensearch_db.statements.reader import Reader
from gensearch_db.statements.syntax import (
    Anonymize,
    Audit,
    DropRelease,
    EngineStatement,
    Estimate,
    ExplainAnonymize,
    OwnStatement,
    Place,
    Profile,
    Publish,
    ShowReleases,
    Statement,
)
from gensearch_db.tokens import Token, error_at, tokenize


def parse_script(script: str) -> list[Statement]:
    """All statements of a script, in order; empty ones left out.

    Ours are recognised by their first words alone. If none is ours, the script comes back as one untouched
    :class:`EngineStatement`, so that DuckDB sees exactly what was written. In a mixed script DuckDB's statements are
    checked by its own parser. Raises :class:`QueryError` or :class:`SpecificationError` with all that is wrong, each with line,
    column and caret.
    """
    try:
        pieces = list(_pieces(script, tokenize(script)))
    except QueryError:
        if not _mentions_ours(script):
            return [EngineStatement(script)]
        raise
    if not any(_opening(tokens) for tokens, _, _ in pieces):
        return [EngineStatement(script)]
    problems = Problems(QueryError)
    read = [problems.result_of(partial(_statement, script, *piece)) for piece in pieces if piece[0]]
    problems.raise_if_any()
    return [each for each in read if each is not None]


def parse_statement(text: str) -> OwnStatement:
    """The one statement of ours that ``text`` consists of. Raises :class:`QueryError` if it is anything else."""
    statements = parse_script(text)
    if len(statements) != 1 or isinstance(statements[0], EngineStatement):
        raise QueryError(f"exactly one statement beginning with {', '.join(OPENINGS)} is expected")
    return statements[0]


def holds_own_statement(script: str) -> bool:
    """Whether any statement of the script is ours; False for a script that cannot be cut into statements."""
    try:
        return any(_opening(tokens) is not None for tokens, _, _ in _pieces(script, tokenize(script)))
    except QueryError:
        return False


def is_complete(script: str) -> bool:
    """Whether an interactive input is finished: its last statement ends with a semicolon outside strings and comments."""
    try:
        tokens = tokenize(script)
    except QueryError:
        return False
    return bool(tokens) and tokens[-1].is_symbol(";")


def _pieces(script: str, tokens: list[Token]) -> Iterator[tuple[list[Token], int, int]]:
    """The tokens of each statement, with where its text starts and ends (before the semicolon)."""
    current: list[Token] = []
    start = 0
    for token in tokens:
        if token.is_symbol(";"):
            yield current, start, token.start
            current, start = [], token.end
        else:
            current.append(token)
    yield current, start, len(script)


def _opening(tokens: list[Token]) -> str | None:
    for opening in OPENINGS:
        words = opening.split()
        if len(tokens) >= len(words) and all(token.is_word(word) for token, word in zip(tokens, words, strict=False)):
            return opening
    return None


def opening_hint(script: str) -> str:
    """What to add to a syntax error where a statement begins almost like one of ours; empty if none does."""
    try:
        pieces = list(_pieces(script, tokenize(script)))
    except QueryError:
        return ""
    for tokens, _, _ in pieces:
        for opening in OPENINGS:
            words = opening.split()
            begun = [token.text.upper() for token in tokens[: len(words)]]
            near = [get_close_matches(word, [wanted], cutoff=0.75) for word, wanted in zip(begun, words, strict=False)]
            if begun != words and len(begun) == len(words) and all(near):
                return f"\nDid you mean {opening}?"
    return ""


def _mentions_ours(script: str) -> bool:
    words = script.upper().split()
    return any(opening.split()[-1] in words for opening in OPENINGS)


def _statement(script: str, tokens: list[Token], start: int, end: int) -> Statement:
    opening = _opening(tokens)
    if opening is None:
        return _engine_statement(script, start, end)
    place = Place(script, tokens[0].start, tokens[-1].end)
    with placed(place):
        return replace(_read_own(Reader(script, tokens), opening), place=place)


def _read_own(reader: Reader, opening: str) -> OwnStatement:
    reader.position = len(opening.split())
    try:
        statement = OPENINGS[opening](reader)
    except (QueryError, SpecificationError) as error:
        reader.problems.absorb(error)
        raise reader.problems.together() from None
    reader.finish()
    return statement


def _engine_statement(script: str, start: int, end: int) -> EngineStatement:
    import duckdb

    text = script[start:end]
    connection = duckdb.connect()
    try:
        connection.extract_statements(text)
    except duckdb.Error as error:
        raise _engine_error(script, start, end, str(error)) from error
    finally:
        connection.close()
    return EngineStatement(text)


def _engine_error(script: str, start: int, end: int, message: str) -> QueryError:
    """DuckDB's complaint about ``script[start:end]``, its caret moved to the place in the whole script."""
    first = start + len(script[start:end]) - len(script[start:end].lstrip())
    found = re.search(r"^(LINE (\d+): )(.*)\n( *)\^+", message, re.MULTILINE)
    lines = script[start:end].split("\n")
    if found is not None and int(found[2]) <= len(lines) and lines[int(found[2]) - 1].startswith(found[3]):
        first = start + sum(len(line) + 1 for line in lines[: int(found[2]) - 1]) + len(found[4]) - len(found[1])
    word_end = next((position for position in range(first + 1, end) if script[position].isspace()), end)
    return error_at(script, first, word_end, message.splitlines()[0] + opening_hint(script[start:end]).replace("\n", ". "))


def _explain(reader: Reader) -> ExplainAnonymize:
    statement = read_anonymize(reader)
    if not isinstance(statement, Anonymize):
        raise QueryError("EXPLAIN ANONYMIZE explains a search; 'USING RELEASE' searches nothing")
    return ExplainAnonymize(statement)


def _audit(reader: Reader) -> Audit:
    release = reader.qualified_name("the name of a release")
    fields, seen = read_clauses(reader, AUDIT_CLAUSES)
    if "QUASI IDENTIFIERS" in seen and "AGAINST" in seen:
        reader.problems.absorb(
            reader.error(seen["AGAINST"], "AGAINST does not go with QUASI IDENTIFIERS: a foreign table has no blocks")
        )
    if "SENSITIVE" in seen and "QUASI IDENTIFIERS" not in seen:
        reader.problems.absorb(
            reader.error(seen["SENSITIVE"], "SENSITIVE goes with QUASI IDENTIFIERS: a release says itself what is sensitive")
        )
    return Audit(release, **fields)


AUDIT_CLAUSES: Clauses = {
    "AGAINST": lambda reader: {"against": reader.source("a table, a file as 'string' or a (query)")},
    "WITH": lambda reader: {"together_with": reader.qualified_name("the name of another release")},
    "QUASI IDENTIFIERS": columns("quasi_identifiers"),
    "SENSITIVE": columns("sensitive"),
    "SUBJECT TO": subject_to,
}
"""Every clause of AUDIT by its keywords."""


def _estimate(reader: Reader) -> Estimate:
    first = reader.position
    depth, using = 0, None
    for position, token in enumerate(reader.tokens[first:], start=first):
        depth += token.is_symbol("(") - token.is_symbol(")")
        if depth == 0 and token.is_word("USING"):
            using = position
    if not (reader.ahead("SELECT") or reader.ahead("WITH")):
        raise reader.expected("a count query: SELECT COUNT(*) FROM … WHERE …", known=["SELECT", "WITH"])
    if using is None:
        reader.position = len(reader.tokens)
        raise reader.expected("USING and the name of a release")
    reader.position = using
    start = reader.tokens[first].start
    query = reader.script[start : reader.tokens[using - 1].end]
    reader.require("USING")
    return Estimate(query, reader.qualified_name("the name of a release"), before=reader.script[:start])


def _profile(reader: Reader) -> Profile:
    reader.take("TABLE")
    return Profile(reader.source("a table, a file as 'string' or a (query)"))


def _drop(reader: Reader) -> DropRelease:
    if_exists = reader.take("IF", "EXISTS")
    return DropRelease(reader.qualified_name("the name of a release"), if_exists)


def _publish(reader: Reader) -> Publish:
    releases = [reader.qualified_name("the name of a release")]
    while reader.take_symbol(","):
        releases.append(reader.qualified_name("the name of a release"))
    reader.require("TO")
    target = reader.string("a file as 'string', ending in .duckdb, .parquet or .csv")
    return Publish(tuple(releases), target, reader.take("REPLACE"))


OPENINGS: dict[str, Callable[[Reader], OwnStatement]] = {
    "ANONYMIZE": read_anonymize,
    "EXPLAIN ANONYMIZE": _explain,
    "AUDIT": _audit,
    "ESTIMATE": _estimate,
    "PROFILE": _profile,
    "SHOW RELEASES": lambda reader: ShowReleases(),
    "DROP RELEASE": _drop,
    "PUBLISH": _publish,
}
"""Every statement of ours by its first words; each reads what follows."""
