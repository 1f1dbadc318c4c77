"""Reading the tokens of one statement from left to right: words, names, numbers, and errors where one is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from gensearch_db.database.names import written_table
from gensearch_db.errors import GensearchError, Problems, QueryError, SpecificationError, near_matches
from gensearch_db.problem.files import is_file
from gensearch_db.tokens import Kind, Token, error_at

LARGEST_EXPONENT = 324
"""Numbers beyond this power of ten are refused before their digits are written out; every double lies within."""


def written_string(text: str) -> str:
    """A string as a statement writes it, in single quotes."""
    return "'" + text.replace("'", "''") + "'"


class Reader:
    """A position in the tokens of one statement of ``script``, and what is wrong with those that were read.

    ``problems`` are told together by :meth:`finish`. ``skipped``: whether some tokens could not be read at all, so that what
    the statement as a whole says is not known.
    """

    def __init__(self, script: str, tokens: Sequence[Token]) -> None:
        self.script = script
        self.tokens = tokens
        self.position = 0
        self.problems = Problems(QueryError)
        self.skipped = False

    @property
    def current(self) -> Token | None:
        """The token to be read next, or None at the end of the statement."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def ahead(self, *words: str) -> bool:
        """Whether the next tokens are these keywords."""
        following = self.tokens[self.position : self.position + len(words)]
        return len(following) == len(words) and all(t.is_word(w) for t, w in zip(following, words, strict=True))

    def take(self, *words: str) -> bool:
        """Read these keywords if they come next, all of them or none."""
        if not self.ahead(*words):
            return False
        self.position += len(words)
        return True

    def symbol_follows(self, symbol: str) -> bool:
        """Whether the token after the next one is this operator or bracket."""
        following = self.tokens[self.position + 1 : self.position + 2]
        return bool(following) and following[0].is_symbol(symbol)

    def require(self, *words: str) -> None:
        """Read these keywords, or raise :class:`QueryError` at the first that is missing."""
        for word in words:
            if not self.take(word):
                raise self.expected(word, known=[word])

    def take_symbol(self, symbol: str) -> bool:
        """Read one operator or bracket if it comes next."""
        token = self.current
        if token is None or not token.is_symbol(symbol):
            return False
        self.position += 1
        return True

    def require_symbol(self, symbol: str) -> None:
        """Read one operator or bracket, or raise :class:`QueryError`."""
        if not self.take_symbol(symbol):
            raise self.expected(f"'{symbol}'")

    def finish(self) -> None:
        """Raise all that is wrong with the statement, also where it does not end here, as one error."""
        if self.current is not None:
            self.problems.absorb(self.expected("the end of the statement"))
        self.problems.raise_if_any()

    def attempt(self, read: Callable[[], None], resumes: Callable[[int], bool]) -> None:
        """``read()``. Where that fails, remember why and go on at the next token, outside brackets opened since, where
        ``resumes``, which is told where reading failed; the error goes on where there is none."""
        first = self.position
        try:
            read()
        except (QueryError, SpecificationError) as error:
            if not self._skip(first, resumes):
                raise
            self.problems.absorb(error)

    def _skip(self, first: int, resumes: Callable[[int], bool]) -> bool:
        """Go on from a failure in the tokens since ``first``; without a place to resume at the position stays."""
        self.skipped = True
        failed, depth = self.position, 0
        for position in range(first, len(self.tokens)):
            self.position = position
            if position >= failed and depth == 0 and resumes(failed):
                return True
            token = self.tokens[position]
            depth = max(0, depth + token.is_symbol("(") - token.is_symbol(")"))
        self.position = failed
        return False

    def expected(self, wanted: str, known: Iterable[str] = ()) -> QueryError:
        """The error that ``wanted`` does not come next; near matches of the found word are looked for in ``known``."""
        token = self.current
        if token is None:
            end = self.tokens[-1].end if self.tokens else 0
            return error_at(self.script, end, end + 1, f"expected {wanted}, but the statement ends here")
        hint = near_matches(token.text, known) if token.kind is Kind.WORD else ""
        return self.error(token, f"expected {wanted}, found {_shown(token)}{hint}")

    def error(self, token: Token, message: str) -> QueryError:
        """An error with its caret under ``token``."""
        return error_at(self.script, token.start, token.end, message)

    def complain(self, first: int, error: GensearchError) -> None:
        """Remember another room's complaints about the tokens from ``first`` to here; reading goes on."""
        for complaint in error.problems or (str(error),):
            self.problems.absorb(self.wrap(first, complaint))

    def wrap(self, first: int, complaint: str) -> QueryError:
        """Another room's complaint about the tokens from ``first`` to here, with the place where they stand."""
        start, end = self.tokens[first].start, self.tokens[max(first, self.position - 1)].end
        return error_at(self.script, start, end, complaint)

    def name(self, wanted: str = "a name") -> str:
        """One name, bare or in double quotes."""
        token = self.current
        if token is None or token.kind not in (Kind.WORD, Kind.QUOTED):
            raise self.expected(wanted)
        self.position += 1
        if token.kind is Kind.WORD:
            return token.text
        name = token.text[1:-1].replace('""', '"')
        if not name:
            raise self.error(token, "a name cannot be empty")
        return name

    def qualified_name(self, wanted: str) -> str:
        """``[[database.]schema.]name`` in canonical spelling."""
        parts = [self.name(wanted)]
        while len(parts) < 3 and self.take_symbol("."):
            parts.append(self.name("a name after '.'"))
        if (token := self.current) is not None and token.is_symbol("."):
            raise self.error(token, "a name has at most three parts: database.schema.table")
        return written_table(parts)

    def source(self, wanted: str) -> str:
        """A table or view, the path of a file as 'string', or a query in parentheses."""
        token = self.current
        if token is not None and token.is_symbol("("):
            return self.query_in_parentheses()
        if token is not None and token.kind is Kind.STRING:
            path = self.string(wanted)
            if not is_file(path):
                raise self.error(token, f"{token.text} is not a CSV or Parquet file; a table's name goes without '…'")
            return path
        return self.qualified_name(wanted)

    def query_in_parentheses(self) -> str:
        """``(SELECT …)`` as it is written, comments included. DuckDB must read it as exactly one query."""
        first = self.position
        self.skip_parentheses()
        start, end = self.tokens[first].start, self.tokens[self.position - 1].end
        inner = self.script[start + 1 : end - 1]
        problem = _not_one_query(inner)
        if problem:
            raise error_at(self.script, start, end, problem)
        return f"({inner}\n)" if "--" in inner.rsplit("\n", 1)[-1] else f"({inner})"

    def skip_parentheses(self) -> None:
        """Read ``( … )`` with whatever stands inside, brackets balanced."""
        opening = self.current
        self.require_symbol("(")
        depth = 1
        while depth:
            token = self.current
            if token is None:
                assert opening is not None
                raise self.error(opening, "this '(' is never closed")
            depth += token.is_symbol("(") - token.is_symbol(")")
            self.position += 1

    def string(self, wanted: str = "a 'string'") -> str:
        """The text of one string: ``'it''s'`` or ``$$it's$$``."""
        token = self.current
        if token is None or token.kind is not Kind.STRING:
            raise self.expected(wanted)
        self.position += 1
        if token.text[0] == "'":
            return token.text[1:-1].replace("''", "'")
        if token.text[0] == "$":
            tag = token.text.index("$", 1) + 1
            return token.text[tag:-tag]
        raise self.error(token, "write a plain 'string' here, without a letter before it")

    def number(self, wanted: str = "a number") -> Fraction:
        """A signed decimal number, exactly as written."""
        first = self.current
        negative = self.take_symbol("-")
        token = self.current
        if token is None or token.kind is not Kind.NUMBER:
            raise self.expected(wanted)
        self.position += 1
        text = token.text
        following = self.current
        if text[-1:] in "eE" and following is not None and following.text in "+-" and following.start == token.end:
            raise self.error(token, f"{wanted} is written without an exponent here")
        try:
            written = Decimal(text.replace("_", ""))
        except InvalidOperation:
            raise self.error(first or token, f"{text} is not {wanted}") from None
        if abs(written.adjusted()) > LARGEST_EXPONENT or math.isinf(float(written)):
            raise self.error(token, f"{wanted} cannot be that large or small")
        value = Fraction(written)
        return -value if negative else value

    def plain_number(self, wanted: str = "a number") -> int | float:
        """A number as Python has it: a float where it is written with a point."""
        value = self.number(wanted)
        return float(value) if "." in self.tokens[self.position - 1].text else int(value)

    def whole_number(self, wanted: str) -> int:
        """A whole number of at least 1."""
        first = self.position
        value = self.number(wanted)
        if value.denominator != 1 or value < 1:
            raise self.error(self.tokens[first], f"expected {wanted}, a whole number of at least 1")
        return int(value)

    def list_of(self, item: Callable[[], None]) -> None:
        """``( item, item, … )``; calls ``item`` at the start of each. A comma too many is an error, as in SQL."""
        self.require_symbol("(")
        self._item(item)
        while self.take_symbol(","):
            self._item(item)
        self.require_symbol(")")

    def _item(self, item: Callable[[], None]) -> None:
        item()
        if (token := self.current) is None or not (token.is_symbol(",") or token.is_symbol(")")):
            raise self.expected("',' or ')'")

    def list_of_columns(self, item: Callable[[], None]) -> None:
        """A list whose items begin with a name. One that cannot be read is a problem remembered; the others are read all the
        same."""
        self.list_of(lambda: self.attempt(lambda: self._item(item), self._column_ends))

    def _column_ends(self, failed: int) -> bool:
        """Whether the next token ends one column of a list: a comma before a number belongs to the boundaries of a split."""
        token, following = self.current, self.tokens[self.position + 1 : self.position + 2]
        if token is None or not token.is_symbol(","):
            return token is not None and token.is_symbol(")")
        return bool(following) and following[0].kind in (Kind.WORD, Kind.QUOTED)

    def text_since(self, first: int) -> str:
        """The tokens from position ``first`` to here as one line without comments, spaced as usual."""
        text = ""
        before: Token | None = None
        for token in self.tokens[first : self.position]:
            if before is not None and _spaced(before, token):
                text += " "
            text += token.text
            before = token
        return text


def _spaced(before: Token, token: Token) -> bool:
    if token.kind is Kind.SYMBOL and token.text in ("(", ")", ",", "."):
        return token.text == "(" and before.kind is Kind.SYMBOL and before.text not in ("(", "-", ".")
    return not (before.kind is Kind.SYMBOL and before.text in ("(", "-", "."))


def _shown(token: Token) -> str:
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    return text if token.kind in (Kind.STRING, Kind.QUOTED) else f"'{text}'"


def _not_one_query(text: str) -> str | None:
    """Why DuckDB does not read ``text`` as exactly one query, or None if it does."""
    import duckdb

    connection = duckdb.connect()
    try:
        found = connection.extract_statements(text)
    except duckdb.Error as error:
        return f"this query cannot be read: {str(error).splitlines()[0]}"
    finally:
        connection.close()
    if len(found) != 1 or found[0].type is not duckdb.StatementType.SELECT:
        return "one query is expected between these parentheses, and nothing else"
    return None
