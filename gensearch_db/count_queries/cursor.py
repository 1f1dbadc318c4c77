"""A position in the words of a script, and the scope that column names are looked up in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gensearch_db.count_queries.model import ColumnName, Place
from gensearch_db.errors import QueryError, near_matches
from gensearch_db.tokens import Kind, Token, error_at


def plain_name(token: Token) -> str:
    """The name that a word or a quoted name stands for."""
    return token.text[1:-1].replace('""', '"') if token.kind is Kind.QUOTED else token.text


@dataclass(frozen=True)
class Scope:
    """The columns that a FROM clause offers: ``columns`` maps folded names to columns of the table (None: its own names).

    ``qualifiers`` are the folded dotted names that may stand before a column.
    """

    qualifiers: frozenset[tuple[str, ...]]
    columns: Mapping[str, str] | None = None


class Cursor:
    """Reads the words of one statement from left to right. ``tokens`` hold no comments."""

    def __init__(self, script: str, tokens: Sequence[Token]) -> None:
        self.script = script
        self.tokens = tokens
        self.position = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> Token | None:
        """The token ``ahead`` of the current one, or None at the end."""
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else None

    def is_word(self, *words: str, ahead: int = 0) -> bool:
        """Whether the token there is one of these unquoted words."""
        token = self.peek(ahead)
        return token is not None and token.kind is Kind.WORD and token.text.upper() in words

    def is_symbol(self, *symbols: str, ahead: int = 0) -> bool:
        """Whether the token there is one of these operators or brackets."""
        token = self.peek(ahead)
        return token is not None and token.kind is Kind.SYMBOL and token.text in symbols

    def take_word(self, *words: str) -> Token | None:
        """Step over one of these words, if it is next."""
        return self.take() if self.is_word(*words) else None

    def take_symbol(self, *symbols: str) -> Token | None:
        """Step over one of these symbols, if it is next."""
        return self.take() if self.is_symbol(*symbols) else None

    def take(self) -> Token:
        """Step over the next token, which must be there."""
        token = self.peek()
        if token is None:
            raise self.error("the query ends too early")
        self.position += 1
        return token

    def expect_word(self, word: str) -> Token:
        """Step over ``word`` or say that it was expected."""
        return self.take_word(word) or self._unexpected(word)

    def expect_symbol(self, symbol: str) -> Token:
        """Step over ``symbol`` or say that it was expected."""
        return self.take_symbol(symbol) or self._unexpected(f"'{symbol}'")

    def _unexpected(self, wanted: str) -> Token:
        token = self.peek()
        raise self.error(f"expected {wanted}, found " + (f"'{token.text}'" if token else "the end of the query"))

    def error(self, message: str, token: Token | Place | None = None) -> QueryError:
        """An error that points at ``token``, by default at the next one."""
        token = token or self.peek()
        if token is None:
            end = self.tokens[-1].end if self.tokens else len(self.script)
            return error_at(self.script, end, end, message)
        return error_at(self.script, token.start, token.end, message)

    def closing(self, opening: int) -> int:
        """The index of the bracket that closes the one at index ``opening``."""
        level = 0
        for index in range(opening, len(self.tokens)):
            token = self.tokens[index]
            if token.kind is Kind.SYMBOL:
                level += (token.text in "([{") - (token.text in ")]}")
                if level == 0:
                    return index
        raise self.error("this bracket is never closed", self.tokens[opening])

    def column(self, tokens: Sequence[Token], scope: Scope) -> ColumnName:
        """The column that ``name`` or ``table.name`` stands for."""
        parts = [token for token in tokens if token.kind is not Kind.SYMBOL]
        place = Place(tokens[0].start, tokens[-1].end)
        name = plain_name(parts[-1])
        qualifier = tuple(plain_name(part).casefold() for part in parts[:-1])
        if qualifier and qualifier not in scope.qualifiers:
            known = sorted(".".join(names) for names in scope.qualifiers)
            written = ".".join(plain_name(part) for part in parts[:-1])
            message = f"there is no table '{written}' in this query{near_matches(written, known)}"
            raise self.error(message, place)
        if scope.columns is None:
            return ColumnName(name, place)
        if name.casefold() not in scope.columns:
            message = f"the query in FROM has no column '{name}'{near_matches(name, scope.columns)}"
            raise self.error(message, place)
        return ColumnName(scope.columns[name.casefold()], place)
