"""The SELECT list of a count query: what is counted, under which condition, and the columns it is grouped by."""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.count_queries.clauses import HINT, Clauses
from gensearch_db.count_queries.conditions import read_condition
from gensearch_db.count_queries.cursor import Cursor, Scope, plain_name
from gensearch_db.count_queries.model import ColumnName, Count, Missing, Opposite, Predicate, conjunction
from gensearch_db.tokens import Kind, Token


class SelectItems(Clauses):
    """The SELECT list of a count query: counts and GROUP BY columns."""

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        super().__init__(cursor)
        self.scope = scope
        self.counts: list[Count] = []
        self.entries: list[ColumnName | Count] = []
        self.aliases: dict[str, ColumnName] = {}
        self.labels: dict[str, str] = {}

    def read(self) -> None:
        """Read the list up to FROM."""
        cursor = self.cursor
        while True:
            self.item()
            if not cursor.take_symbol(","):
                break
        if not cursor.is_word("FROM"):
            raise self.refused()
        if not self.counts:
            raise cursor.error(f"nothing is counted: {HINT}", cursor.tokens[0])

    def item(self) -> None:
        """Read one item."""
        cursor = self.cursor
        start = cursor.position
        if not cursor.is_symbol("(", ahead=1):
            if not cursor.is_word("DISTINCT") and (cursor.peek() is None or cursor.tokens[start].kind is Kind.SYMBOL):
                raise self.refused()
            column = self.column(self.scope)
            written = plain_name(cursor.tokens[cursor.position - 1])
            alias = self.alias()
            if alias:
                self.aliases[alias.casefold()] = column
            self.labels.setdefault(column.name.casefold(), alias or written)
            self.entries.append(column)
            return
        condition = self.aggregate()
        if cursor.take_word("FILTER"):
            cursor.expect_symbol("(")
            cursor.expect_word("WHERE")
            condition = conjunction(condition, read_condition(cursor, self.scope))
            cursor.expect_symbol(")")
        if cursor.is_word("OVER"):
            raise self.refused()
        written_to = cursor.tokens[cursor.position - 1].end
        label = self.unique(self.alias() or " ".join(self.cursor.script[cursor.tokens[start].start : written_to].split()))
        count = Count(label, condition)
        self.counts.append(count)
        self.entries.append(count)

    def unique(self, label: str) -> str:
        """The label, numbered where another counted column has it."""
        taken = [count.label for count in self.counts]
        number = 2
        wanted = label
        while label in taken:
            label, number = f"{wanted} ({number})", number + 1
        return label

    def shown(self, groups: Sequence[ColumnName]) -> tuple[int | None, ...]:
        """For each item its place among the groups; None for a count."""
        names = [group.name.casefold() for group in groups]
        return tuple(names.index(entry.name.casefold()) if isinstance(entry, ColumnName) else None for entry in self.entries)

    def aggregate(self) -> Predicate | None:
        """``COUNT(…)``, ``COUNT_IF(…)`` or ``SUM(CASE …)``: the condition under which a row counts."""
        cursor = self.cursor
        name = cursor.take()
        kind = name.text.upper()
        cursor.expect_symbol("(")
        if kind == "COUNT":
            condition = self.count_argument()
        elif kind in ("COUNT_IF", "COUNTIF"):
            condition = read_condition(cursor, self.scope)
        elif kind == "SUM" and cursor.is_word("CASE"):
            condition = self.case(("1",), ("0", "NULL"))
        elif kind == "SUM":
            raise cursor.error("only SUM(CASE WHEN condition THEN 1 ELSE 0 END) is a count", name)
        else:
            raise cursor.error(f"{name.text}(…) is not supported: only COUNT and SUM(CASE …) can be estimated", name)
        cursor.expect_symbol(")")
        return condition

    def count_argument(self) -> Predicate | None:
        """What stands in COUNT(…): the condition under which a row counts."""
        cursor = self.cursor
        if cursor.is_word("DISTINCT"):
            raise cursor.error("COUNT(DISTINCT …) cannot be estimated from a release")
        if cursor.is_symbol(")") or cursor.take_symbol("*"):
            return None
        if cursor.is_word("CASE"):
            return self.case(None, ("NULL",))
        if cursor.take_word("NULL"):
            raise cursor.error("COUNT(NULL) is always 0")
        token = cursor.peek()
        if token is not None and token.kind in (Kind.NUMBER, Kind.STRING) and cursor.is_symbol(")", ahead=1):
            cursor.take()
            return None
        return Opposite(Missing(self.column(self.scope)))

    def case(self, results: tuple[str, ...] | None, otherwise: tuple[str, ...]) -> Predicate:
        """``CASE WHEN condition THEN 1 ELSE 0 END`` with the results that make it a count (None: any constant)."""
        cursor = self.cursor
        cursor.take()
        if not cursor.take_word("WHEN"):
            raise cursor.error("only CASE WHEN condition THEN … END is supported")
        condition = read_condition(cursor, self.scope)
        cursor.expect_word("THEN")
        self.constant(results)
        if cursor.is_word("WHEN"):
            raise cursor.error("CASE with several WHEN is not supported; write one condition with OR")
        if cursor.take_word("ELSE"):
            self.constant(otherwise)
        cursor.expect_word("END")
        return condition

    def constant(self, allowed: tuple[str, ...] | None) -> None:
        """Step over a result of CASE, which must be one of those that make it a count."""
        cursor = self.cursor
        token = cursor.take()
        known = token.kind in (Kind.NUMBER, Kind.STRING) or token.text.upper() == "TRUE"
        if not (known if allowed is None else token.text.upper() in allowed):
            wanted = " or ".join(allowed) if allowed else "a constant"
            raise cursor.error(f"expected {wanted}, found '{token.text}': only then is CASE a count", token)

    def at_position(self, token: Token) -> ColumnName:
        """The column that ``GROUP BY 2`` means."""
        number = int(token.text) if token.text.isdigit() else 0
        entry = self.entries[number - 1] if 1 <= number <= len(self.entries) else None
        if not isinstance(entry, ColumnName):
            raise self.cursor.error(f"GROUP BY {token.text} does not name a column of the SELECT list", token)
        return entry

    def require_grouped(self, groups: Sequence[ColumnName]) -> None:
        """Columns beside a count must be grouped by."""
        names = {group.name.casefold() for group in groups}
        for entry in self.entries:
            if isinstance(entry, ColumnName) and entry.name.casefold() not in names:
                raise self.cursor.error(f"column '{entry.name}' is neither counted nor in GROUP BY", entry.place)

    def label_of(self, column: ColumnName) -> str:
        """What the answer calls this GROUP BY column."""
        return self.labels.get(column.name.casefold(), column.name)
