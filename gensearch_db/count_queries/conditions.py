"""Reading a condition: AND, OR, NOT, comparisons, BETWEEN, IN, LIKE, IS.

Whatever else an analyst may write is refused by its name and place, never guessed at. What stands on either side of a
comparison is read by ``operands.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gensearch_db.count_queries.cursor import Cursor, Scope
from gensearch_db.count_queries.model import (
    Bare,
    Both,
    ColumnName,
    Comparison,
    Constant,
    Either,
    Fixed,
    Is,
    Matches,
    Missing,
    OneOf,
    Operator,
    Opposite,
    Place,
    Predicate,
)
from gensearch_db.count_queries.operands import COMPARISONS, Operand, is_operand, read_operand, text_since
from gensearch_db.tokens import Kind

_MIRRORED: dict[Operator, Operator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DEEPEST = 60


def read_condition(cursor: Cursor, scope: Scope) -> Predicate:
    """Read a condition up to the word that cannot belong to it. Raises :class:`QueryError` with line and column."""
    return _Conditions(cursor, scope).disjunction()


@dataclass
class _Conditions:
    cursor: Cursor
    scope: Scope

    def disjunction(self) -> Predicate:
        """Conditions joined by OR."""
        parts = [self.conjunction()]
        while self.cursor.take_word("OR"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def conjunction(self) -> Predicate:
        """Conditions joined by AND."""
        parts = [self.negation()]
        while self.cursor.take_word("AND"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def negation(self) -> Predicate:
        """A condition behind any number of NOTs."""
        negations = 0
        while self.cursor.take_word("NOT"):
            negations += 1
        part = self.term()
        return Opposite(part) if negations % 2 else part

    def term(self) -> Predicate:
        """A condition in brackets, or a predicate; with the tests IS TRUE, IS FALSE … behind it."""
        cursor = self.cursor
        if not self.opens_condition():
            return self.predicate()
        if cursor.depth >= _DEEPEST:
            raise cursor.error(f"conditions nest deeper than {_DEEPEST} brackets")
        cursor.depth += 1
        cursor.take()
        part = self.disjunction()
        cursor.expect_symbol(")")
        cursor.depth -= 1
        return self.truth_test(part) if cursor.is_word("IS") else part

    def opens_condition(self) -> bool:
        """Whether a bracket opens here that holds a condition, not an operand of one."""
        cursor = self.cursor
        if not cursor.is_symbol("("):
            return False
        closing = cursor.closing(cursor.position)
        inside = cursor.tokens[cursor.position + 1 : closing]
        after = Cursor(cursor.script, cursor.tokens[closing + 1 : closing + 4])
        if after.is_word("IS"):
            return not is_operand(inside)
        follows = after.peek()
        if follows is None or after.is_symbol(")", ",", ";"):
            return True
        is_test = after.is_word("BETWEEN", "IN", "LIKE", "ILIKE", "GLOB", "SIMILAR", "ISNULL", "NOTNULL", "NOT", "COLLATE")
        return follows.kind is Kind.WORD and not is_test

    def truth_test(self, part: Predicate) -> Predicate:
        """What follows IS behind a condition: [NOT] TRUE, FALSE or UNKNOWN."""
        cursor = self.cursor
        cursor.take()
        negated = cursor.take_word("NOT") is not None
        word = cursor.take_word("TRUE", "FALSE", "UNKNOWN", "NULL")
        if word is None:
            raise cursor.error("a condition can be tested with IS [NOT] TRUE, FALSE, UNKNOWN or NULL only")
        test = Is(part, {"TRUE": True, "FALSE": False}.get(word.text.upper()))
        return Opposite(test) if negated else test

    def predicate(self) -> Predicate:
        """A predicate on one column, or a condition without columns."""
        cursor = self.cursor
        start = cursor.position
        left = self.operand()
        token = cursor.peek()
        if token is not None and token.kind is Kind.SYMBOL and token.text in COMPARISONS:
            cursor.take()
            return self.comparison(left, COMPARISONS[token.text], self.operand(), start)
        negated = cursor.take_word("NOT") is not None
        if cursor.take_word("BETWEEN"):
            test = self.between(left, start)
        elif cursor.take_word("IN"):
            test = self.membership(left, start)
        elif cursor.is_word("LIKE", "ILIKE"):
            test = self.pattern(left, start)
        elif negated:
            raise cursor.error("expected BETWEEN, IN or LIKE after NOT")
        else:
            return self.other_test(left, start)
        return Opposite(test) if negated else test

    def other_test(self, left: Operand, start: int) -> Predicate:
        """What is no comparison, BETWEEN, IN or LIKE: the IS tests, ISNULL and NOTNULL, a condition that stands alone."""
        cursor = self.cursor
        if cursor.is_word("GLOB", "SIMILAR", "COLLATE"):
            word = cursor.take()
            raise cursor.error(f"{word.text.upper()} is not supported; use LIKE or IN", word)
        if cursor.take_word("ISNULL"):
            return self.missing(left)
        if cursor.take_word("NOTNULL"):
            return Opposite(self.missing(left))
        if not cursor.is_word("IS"):
            return Bare(left) if isinstance(left, ColumnName) else Fixed(left)
        if cursor.is_word("TRUE", "FALSE", "UNKNOWN", ahead=1) or (
            cursor.is_word("NOT", ahead=1) and cursor.is_word("TRUE", "FALSE", "UNKNOWN", ahead=2)
        ):
            return self.truth_test(Bare(left) if isinstance(left, ColumnName) else Fixed(left))
        cursor.take()
        negated = cursor.take_word("NOT") is not None
        if cursor.take_word("NULL"):
            test = self.missing(left)
        elif cursor.take_word("DISTINCT"):
            cursor.expect_word("FROM")
            test, negated = self.same(left, start), not negated
        else:
            raise cursor.error("expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS")
        return Opposite(test) if negated else test

    def operand(self) -> Operand:
        """What stands on one side of a comparison."""
        return read_operand(self.cursor, self.scope)

    def missing(self, left: Operand) -> Predicate:
        """``left IS NULL``."""
        if isinstance(left, ColumnName):
            return Missing(left)
        return Fixed(Constant(f"({left.text}\n) IS NULL", left.place))

    def same(self, left: Operand, start: int) -> Predicate:
        """IS NOT DISTINCT FROM: equal, or both missing."""
        right_start = self.cursor.position
        right = self.operand()
        if isinstance(left, Constant) and isinstance(right, Constant):
            both = Constant(f"({left.text}\n) IS NOT DISTINCT FROM ({right.text}\n)", text_since(self.cursor, start).place)
            return Fixed(both)
        equal = Is(self.comparison(left, "=", right, start), True)
        if isinstance(left, ColumnName) and isinstance(right, ColumnName):
            return Either((equal, Missing(left)))
        column, constant = (left, right) if isinstance(left, ColumnName) else (right, left)
        assert isinstance(column, ColumnName)
        assert isinstance(constant, Constant)
        place = text_since(self.cursor, right_start).place
        return Either((equal, Both((Missing(column), Fixed(Constant(f"({constant.text}\n) IS NULL", place))))))

    def between(self, left: Operand, start: int) -> Predicate:
        """What follows BETWEEN, written out as two comparisons."""
        if self.cursor.is_word("SYMMETRIC", "ASYMMETRIC"):
            raise self.cursor.error("BETWEEN SYMMETRIC is not supported; write the smaller bound first")
        low = self.operand()
        self.cursor.expect_word("AND")
        high = self.operand()
        lower, upper = self.comparison(left, ">=", low, start), self.comparison(left, "<=", high, start)
        if isinstance(lower, Comparison) and isinstance(upper, Comparison) and isinstance(left, ColumnName):
            lower, upper = replace(lower, beside=upper.constant), replace(upper, beside=lower.constant)
        return Both((lower, upper))

    def membership(self, left: Operand, start: int) -> Predicate:
        """What follows IN."""
        cursor = self.cursor
        if not cursor.is_symbol("("):
            raise cursor.error("IN needs a list of values in brackets")
        cursor.take()
        members = [self.operand()]
        while cursor.take_symbol(","):
            members.append(self.operand())
        cursor.expect_symbol(")")
        constants = tuple(member for member in members if isinstance(member, Constant))
        if isinstance(left, ColumnName) and len(constants) == len(members):
            return OneOf(left, constants)
        return Either(tuple(self.comparison(left, "=", member, start) for member in members))

    def pattern(self, left: Operand, start: int) -> Predicate:
        """LIKE or ILIKE with its pattern."""
        cursor = self.cursor
        operator = cursor.take()
        pattern = self.operand()
        escape = self.operand() if cursor.take_word("ESCAPE") else None
        if isinstance(pattern, ColumnName) or isinstance(escape, ColumnName):
            raise cursor.error("a LIKE pattern must be a constant", text_since(self.cursor, start).place)
        kind: Literal["LIKE", "ILIKE"] = "LIKE" if operator.text.upper() == "LIKE" else "ILIKE"
        if isinstance(left, ColumnName):
            return Matches(left, kind, pattern, escape)
        ending = f" ESCAPE ({escape.text}\n)" if escape is not None else ""
        return Fixed(Constant(f"({left.text}\n) {kind} ({pattern.text}\n){ending}", text_since(self.cursor, start).place))

    def comparison(self, left: Operand, operator: Operator, right: Operand, start: int) -> Predicate:
        """``left operator right``, with the column on the left."""
        if isinstance(left, ColumnName) and isinstance(right, Constant):
            return Comparison(left, operator, right)
        if isinstance(left, Constant) and isinstance(right, ColumnName):
            return Comparison(right, _MIRRORED[operator], left)
        if isinstance(left, Constant) and isinstance(right, Constant):
            place = Place(left.place.start, right.place.end)
            return Fixed(Constant(f"({left.text}\n) {operator} ({right.text}\n)", place))
        assert isinstance(left, ColumnName)
        assert isinstance(right, ColumnName)
        if left.name.casefold() != right.name.casefold():
            message = f"columns '{left.name}' and '{right.name}' are compared with each other: a block holds no pairs of values"
            raise self.cursor.error(message, text_since(self.cursor, start).place)
        unknown = Fixed(Constant("NULL", left.place, literal=True))
        if operator in ("=", "<=", ">="):
            return Either((Opposite(Missing(left)), unknown))  # true, and unknown where the column is NULL
        return Both((Missing(left), unknown))  # false, and unknown where the column is NULL
