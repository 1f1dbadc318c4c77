"""Reading what stands on either side of a comparison: one column, or an expression without columns, which is left to DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.count_queries.cursor import Cursor, Scope
from gensearch_db.count_queries.model import ColumnName, Constant, Operator, Place
from gensearch_db.tokens import Kind, Token

COMPARISONS: dict[str, Operator] = {
    "=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_AFTER_AN_OPERAND = frozenset(
    [
        *("AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ILIKE", "GLOB", "SIMILAR", "IS", "ISNULL", "NOTNULL", "ESCAPE"),
        *("COLLATE", "THEN", "WHEN", "ELSE", "END", "AS", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET"),
        *("QUALIFY", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "FILTER", "OVER", "USING", "SAMPLE", "TABLESAMPLE"),
    ]
)
_WORDS_THAT_ARE_VALUES = frozenset(
    ["TRUE", "FALSE", "NULL", "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP"]
)

Operand = ColumnName | Constant


def read_operand(cursor: Cursor, scope: Scope) -> Operand:
    """A column, or an expression without columns. Raises :class:`QueryError` at what is neither."""
    start = cursor.position
    if cursor.is_word("CASE"):
        raise cursor.error("CASE inside a condition is not supported; write it with AND and OR")
    while (token := cursor.peek()) is not None:
        if token.kind is Kind.SYMBOL and (token.text in COMPARISONS or token.text in (",", ")", "]", "}", ";")):
            break
        if token.kind is Kind.WORD and token.text.upper() in _AFTER_AN_OPERAND:
            break
        if token.kind is Kind.SYMBOL and token.text in "([{":
            cursor.position = cursor.closing(cursor.position)
        cursor.position += 1
    tokens = cursor.tokens[start : cursor.position]
    if not tokens:
        found = cursor.peek()
        raise cursor.error("expected a column or a value, found " + (f"'{found.text}'" if found else "the end of the query"))
    return _column_or_constant(cursor, scope, start)


def is_operand(tokens: Sequence[Token]) -> bool:
    """Whether these words are a column or a constant, brackets around them aside."""
    while len(tokens) > 2 and tokens[0].text == "(" and tokens[-1].text == ")":
        tokens = tokens[1:-1]
    return _is_column(tokens) or (len(tokens) == 1 and tokens[0].kind is not Kind.SYMBOL)


def text_since(cursor: Cursor, start: int) -> Constant:
    """The words from index ``start`` up to here, as one constant."""
    tokens = cursor.tokens[start : cursor.position]
    place = Place(tokens[0].start, tokens[-1].end)
    return Constant(cursor.script[place.start : place.end], place)


def _column_or_constant(cursor: Cursor, scope: Scope, start: int) -> Operand:
    """What the words from index ``start`` up to here are; brackets around all of them do not matter."""
    first, after = start, cursor.position
    while after - first > 2 and cursor.tokens[first].text == "(" and cursor.closing(first) == after - 1:
        first, after = first + 1, after - 1
    inner = cursor.tokens[first:after]
    if _is_column(inner):
        return cursor.column(inner, scope)
    whole = text_since(cursor, start)
    if _is_literal(inner):
        return Constant(cursor.script[inner[0].start : inner[-1].end], whole.place, literal=True)
    _require_constant(cursor, cursor.tokens[start : cursor.position])
    return whole


def _require_constant(cursor: Cursor, tokens: Sequence[Token]) -> None:
    """Raise :class:`QueryError` where the words of a constant hold what none may hold."""
    for token in tokens:
        if token.kind is Kind.WORD and token.text.upper() in ("SELECT", "OVER", "DISTINCT"):
            what = {"SELECT": "a subquery in a condition", "OVER": "a window function"}.get(token.text.upper(), "DISTINCT")
            raise cursor.error(f"{what} is not supported", token)
        if token.kind is Kind.SYMBOL and token.text.startswith(("?", "$")):
            raise cursor.error("a parameter is not supported; write its value", token)
    _require_no_columns(cursor, tokens)


def _is_column(tokens: Sequence[Token]) -> bool:
    """``name``, ``table.name``, ``schema.table.name`` …; TRUE, NULL and the like are values."""
    if len(tokens) % 2 == 0 or any(token.text != "." for token in tokens[1::2]):
        return False
    if any(token.kind not in (Kind.WORD, Kind.QUOTED) for token in tokens[::2]):
        return False
    return len(tokens) > 1 or tokens[0].kind is Kind.QUOTED or tokens[0].text.upper() not in _WORDS_THAT_ARE_VALUES


def _is_literal(tokens: Sequence[Token]) -> bool:
    signed = tokens[1:] if len(tokens) == 2 and tokens[0].text in ("-", "+") else tokens
    if len(signed) != 1 or (len(tokens) == 2 and signed[0].kind is not Kind.NUMBER):
        return False
    word = signed[0].text.upper()
    return signed[0].kind in (Kind.NUMBER, Kind.STRING) or word in ("TRUE", "FALSE", "NULL")


def _require_no_columns(cursor: Cursor, tokens: Sequence[Token]) -> None:
    """Refuse expressions over columns, aggregates and what cannot be read at all."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    place = Place(tokens[0].start, tokens[-1].end)
    text = cursor.script[place.start : place.end]
    try:
        tree = parse_one(text, dialect="duckdb")
    except SqlglotError:
        raise cursor.error(f"cannot read '{text}' as a value", place) from None
    column = tree.find(exp.Column)
    if column is not None:
        start = place.start + column.this.meta.get("start", 0)
        message = f"'{text}' is an expression over a column; compare the column '{column.name}' itself with a value"
        raise cursor.error(message, Place(start, start + len(column.name)))
    refused = tree.find(exp.AggFunc, exp.Query, exp.Lambda, exp.Star)
    if refused is not None:
        raise cursor.error(f"'{text}' is not a value", place)
