"""Words of a statement and errors that point at them.

The lexer is DuckDB's own (``duckdb.tokenize``), so that a script falls apart exactly where the engine would cut it: strings,
quoted names, dollar quotes and nested comments may hold semicolons. Offsets of tokens are character positions in the script.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gensearch_db.errors import QueryError


class Kind(Enum):
    """What a token is. ``WORD`` is a keyword or an unquoted name: none of our keywords is reserved."""

    WORD = "word"
    QUOTED = "quoted name"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"


@dataclass(frozen=True)
class Token:
    """One token: its text as written, and where it stands in the script (``start`` inclusive, ``end`` exclusive)."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """The name that the token stands for: without its double quotes if it has any."""
        return self.text[1:-1].replace('""', '"') if self.kind is Kind.QUOTED else self.text

    def is_word(self, word: str) -> bool:
        """Whether this is the unquoted ``word``, in any case."""
        return self.kind is Kind.WORD and self.text.upper() == word

    def is_symbol(self, symbol: str) -> bool:
        """Whether this is the operator or bracket ``symbol``."""
        return self.kind is Kind.SYMBOL and self.text == symbol


def error_at(script: str, start: int, end: int, message: str) -> QueryError:
    """An error with line, column and the line itself, a caret under each character of ``script[start:end]``."""
    return QueryError(pointed(script, start, end, message))


def pointed(script: str, start: int, end: int, message: str) -> str:
    """``message`` with the line and column of ``script[start:end]``, and that line with carets under it."""
    before = script[:start]
    line_number = before.count("\n") + 1
    line_start = before.rfind("\n") + 1
    line_end = script.find("\n", start)
    line = script[line_start : line_end if line_end >= 0 else len(script)].rstrip("\r")
    column = start - line_start
    shown_from = max(0, column - 80)
    shown = "".join(c if c.isprintable() or c == "\t" else "�" for c in line[shown_from : shown_from + 120])
    margin = "".join("\t" if c == "\t" else " " for c in line[shown_from:column])
    width = max(1, min(end, line_start + len(line)) - start, 1)
    width = min(width, max(1, len(shown) - len(margin)))
    return f"line {line_number}, column {column + 1}: {message}\n  {shown}\n  {margin}{'^' * width}"


def tokenize(script: str) -> list[Token]:
    """The tokens of a script without its comments. Raises :class:`QueryError` where a quote or comment is never closed."""
    import duckdb

    try:
        raw = script.encode("utf-8")
    except UnicodeEncodeError as error:
        raise error_at(script, error.start, error.end, "this is not a valid Unicode character") from None
    if "\0" in script:
        position = script.index("\0")
        raise error_at(script, position, position + 1, "a statement cannot hold a NUL character")
    found = duckdb.tokenize(script)
    if not found:
        return []
    ends = [*(offset for offset, _ in found[1:]), len(raw)]
    tokens: list[Token] = []
    start = len(raw[: found[0][0]].decode("utf-8"))
    for (offset, engine_kind), end in zip(found, ends, strict=True):
        text = raw[offset:end].decode("utf-8")
        written = text.rstrip(" \t\n\r\f\v")
        if engine_kind is duckdb.token_type.comment:
            _require_closed_comment(script, start, written)
        else:
            tokens.append(_token(script, start, written, engine_kind is duckdb.token_type.operator))
        start += len(text)
    return tokens


def _token(script: str, start: int, text: str, symbol: bool) -> Token:
    end = start + len(text)
    if symbol:
        return Token(Kind.SYMBOL, text, start, end)
    first = text[0]
    if first == '"':
        if not _closed(text, '"'):
            raise error_at(script, start, end, 'this name opens with " but never closes')
        return Token(Kind.QUOTED, text, start, end)
    if first.isdigit() or (first == "." and text[1:2].isdigit()):
        return Token(Kind.NUMBER, text, start, end)
    if _is_string(text):
        return Token(Kind.STRING, text, start, _require_closed_string(script, start, text))
    return Token(Kind.WORD, text, start, end)


def _is_string(text: str) -> bool:
    return text[0] == "'" or text[1:2] == "'" or (text[0] == "$" and text.find("$", 1) > 0)


def _closed(text: str, quote: str) -> bool:
    return len(text) >= 2 and text[1:].replace(quote * 2, "").endswith(quote)


def _require_closed_string(script: str, start: int, text: str) -> int:
    end = start + len(text)
    if text[0] == "$":
        tag = text[: text.index("$", 1) + 1]
        closed = len(text) >= 2 * len(tag) and text.endswith(tag)
    elif text[0] in "eE":
        closed = len(text) >= 3 and text.endswith("'")
    else:
        closed = _closed(text[text.index("'") :], "'")
    if not closed:
        raise error_at(script, start, end, "this string is never closed")
    return end


def _require_closed_comment(script: str, start: int, text: str) -> None:
    if text.startswith("/*") and (len(text) < 4 or not text.endswith("*/")):
        raise error_at(script, start, start + 2, "this comment opens with /* but never closes")
