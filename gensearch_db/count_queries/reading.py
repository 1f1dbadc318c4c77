"""Reading count queries: ``SELECT COUNT(*) FROM t WHERE …`` with FILTER, SUM(CASE …), GROUP BY, filtering CTEs and subqueries.

The words are cut by DuckDB's own lexer and the grammar is read by hand, so that every refusal can say what is not supported
and where. The query is never rewritten for execution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gensearch_db.count_queries.conditions import read_condition
from gensearch_db.count_queries.cursor import Cursor, Scope, plain_name
from gensearch_db.count_queries.model import (
    ColumnName,
    Count,
    CountQuery,
    Missing,
    Opposite,
    Place,
    Predicate,
    conjunction,
)
from gensearch_db.errors import QueryError
from gensearch_db.statements.tokens import Kind, Token, error_at, tokenize

_REFUSED = {
    "JOIN": "a join", "INNER": "a join", "LEFT": "a join", "RIGHT": "a join", "FULL": "a join", "CROSS": "a join",
    "NATURAL": "a join", "ASOF": "a join", "SEMI": "a join", "ANTI": "a join", "POSITIONAL": "a join", "LATERAL": "a join",
    "UNION": "UNION", "INTERSECT": "INTERSECT", "EXCEPT": "EXCEPT", "HAVING": "HAVING", "QUALIFY": "QUALIFY",
    "WINDOW": "a window function", "OVER": "a window function", "LIMIT": "LIMIT", "OFFSET": "OFFSET", "FETCH": "FETCH",
    "ORDER": "ORDER BY", "DISTINCT": "DISTINCT", "TABLESAMPLE": "a sample", "USING": "USING", "GROUP": "GROUP BY",
    "PIVOT": "PIVOT", "UNPIVOT": "UNPIVOT", "EXCLUDE": "EXCLUDE", "REPLACE": "REPLACE", "RENAME": "RENAME",
}  # fmt: skip
_CLAUSES = frozenset(["FROM", "WHERE", "GROUP", "FILTER", "AS", *_REFUSED])
_HINT = "a count query reads SELECT COUNT(*) FROM table WHERE condition"


def read_queries(script: str) -> tuple[CountQuery, ...]:
    """The count queries of a script, separated by semicolons. Raises :class:`QueryError` at the first that cannot be read."""
    tokens = tokenize(script)
    queries: list[CountQuery] = []
    statement: list[Token] = []
    for token in [*tokens, None]:
        if token is not None and not token.is_symbol(";"):
            statement.append(token)
        elif statement:
            queries.append(_Reader(script, statement).query())
            statement = []
    if not queries:
        raise QueryError(f"there is no query in the text: {_HINT}")
    return tuple(queries)


def read_query(text: str) -> CountQuery:
    """The one count query in ``text``. Raises :class:`QueryError` with line and column, also where there are several."""
    tokens = tokenize(text)
    ends = [position for position, token in enumerate(tokens) if token.is_symbol(";")]
    if ends and any(not token.is_symbol(";") for token in tokens[ends[0] :]):
        following = next(token for token in tokens[ends[0] :] if not token.is_symbol(";"))
        raise error_at(text, following.start, following.end, "one query at a time: a second statement begins here")
    return read_queries(text)[0]


@dataclass(frozen=True)
class _Relation:
    """What FROM offers: the table behind it, the condition its rows already satisfy, and its columns (None: the table's)."""

    table: Place
    condition: Predicate | None
    scope: Scope
    aliased: bool = False


class _Reader:
    def __init__(self, script: str, tokens: Sequence[Token]) -> None:
        self.cursor = Cursor(script, tokens)
        self.script = script

    def query(self) -> CountQuery:
        cursor = self.cursor
        named = self.common_tables() if cursor.is_word("WITH") else {}
        if not cursor.is_word("SELECT"):
            found = cursor.peek()
            raise cursor.error(f"this is not a count query: {_HINT}" + (f"; found '{found.text}'" if found else ""))
        cursor.take()
        items_at = cursor.position
        relation = self.jump_to_from(named)
        where = self.where(relation.scope)
        after_where = cursor.position
        cursor.position = items_at
        items = _Items(self, relation.scope)
        items.read()
        cursor.position = after_where
        groups = self.groups(items, relation.scope)
        if cursor.peek() is not None:
            raise self.refused()
        items.require_grouped(groups)
        labels = tuple(items.label_of(group) for group in groups)
        place = Place(cursor.tokens[0].start, cursor.tokens[-1].end)
        condition = conjunction(relation.condition, where)
        shown = items.shown(groups)
        counts = tuple(items.counts)
        return CountQuery(self.script, place, relation.table, counts, condition, groups, labels, shown, relation.aliased)

    def refused(self) -> QueryError:
        """An error about the next word, which no count query can go on with."""
        token = self.cursor.peek()
        if token is None:
            return self.cursor.error("the query ends too early")
        if token.kind is Kind.WORD and token.text.upper() in _REFUSED:
            return self.cursor.error(f"{_REFUSED[token.text.upper()]} is not supported in a count query")
        if token.is_symbol(","):
            return self.cursor.error("a join (more than one table in FROM) is not supported in a count query")
        return self.cursor.error(f"cannot read '{token.text}' here: {_HINT}")

    def common_tables(self) -> dict[str, _Relation]:
        cursor = self.cursor
        cursor.take()
        if cursor.is_word("RECURSIVE"):
            raise cursor.error("WITH RECURSIVE is not supported in a count query")
        named: dict[str, _Relation] = {}
        while True:
            name = self.name("a name after WITH")
            cursor.expect_word("AS")
            if cursor.take_word("NOT") or cursor.is_word("MATERIALIZED"):
                cursor.expect_word("MATERIALIZED")
            relation = self.filtering_query(named)
            named[name.casefold()] = _Relation(
                relation.table,
                relation.condition,
                Scope(frozenset({(name.casefold(),)}), relation.scope.columns),
                relation.aliased,
            )
            if not cursor.take_symbol(","):
                return named

    def name(self, wanted: str) -> str:
        token = self.cursor.peek()
        if token is None or token.kind not in (Kind.WORD, Kind.QUOTED):
            raise self.cursor.error(f"expected {wanted}")
        return plain_name(self.cursor.take())

    def jump_to_from(self, named: Mapping[str, _Relation]) -> _Relation:
        """Go to the FROM of the SELECT whose items begin here, and read it."""
        cursor = self.cursor
        while not cursor.is_word("FROM"):
            token = cursor.peek()
            if token is None or token.text == ")":
                raise cursor.error(f"there is no FROM: {_HINT}")
            if token.kind is Kind.SYMBOL and token.text in "([{":
                cursor.position = cursor.closing(cursor.position)
            cursor.position += 1
        cursor.take()
        return self.source(named)

    def source(self, named: Mapping[str, _Relation]) -> _Relation:
        cursor = self.cursor
        if cursor.is_symbol("("):
            relation = self.filtering_query(named)
            alias = self.alias()
            qualifiers = frozenset({(alias.casefold(),)}) if alias else frozenset[tuple[str, ...]]()
            scope = Scope(qualifiers, relation.scope.columns)
            return _Relation(relation.table, relation.condition, scope, relation.aliased)
        parts, place = self.table_name()
        alias = self.alias()
        behind = named.get(parts[0].casefold()) if len(parts) == 1 else None
        own = tuple(part.casefold() for part in parts)
        suffixes = frozenset(own[start:] for start in range(len(own)))
        qualifiers = frozenset({(alias.casefold(),)}) if alias else suffixes
        if behind is None:
            return _Relation(place, None, Scope(qualifiers), alias is not None)
        scope = Scope(qualifiers, behind.scope.columns)
        return _Relation(behind.table, behind.condition, scope, behind.aliased)

    def table_name(self) -> tuple[list[str], Place]:
        cursor = self.cursor
        first = cursor.peek()
        if first is None or (first.kind is Kind.SYMBOL) or cursor.is_word(*_REFUSED):
            raise self.refused()
        if first.kind is Kind.STRING:
            cursor.take()
            return [first.text], Place(first.start, first.end)
        parts = [self.name("a table name")]
        while cursor.take_symbol("."):
            parts.append(self.name("a table name"))
        place = Place(first.start, cursor.tokens[cursor.position - 1].end)
        if cursor.is_symbol("("):
            raise cursor.error(f"the table function {parts[-1]}(…) is not supported in FROM; name a table", place)
        return parts, place

    def alias(self) -> str | None:
        cursor = self.cursor
        explicit = cursor.take_word("AS") is not None
        token = cursor.peek()
        if token is None or token.kind not in (Kind.WORD, Kind.QUOTED):
            return None
        if not explicit and token.kind is Kind.WORD and token.text.upper() in _CLAUSES:
            return None
        name = plain_name(cursor.take())
        if cursor.is_symbol("("):
            raise cursor.error("a list of column names after an alias is not supported; rename in the SELECT list")
        return name

    def where(self, scope: Scope) -> Predicate | None:
        return read_condition(self.cursor, scope) if self.cursor.take_word("WHERE") else None

    def filtering_query(self, named: Mapping[str, _Relation]) -> _Relation:
        """A bracketed ``SELECT columns FROM … WHERE …`` that only filters and renames."""
        cursor = self.cursor
        cursor.expect_symbol("(")
        if cursor.is_symbol("("):
            relation = self.filtering_query(named)
            cursor.expect_symbol(")")
            return relation
        cursor.expect_word("SELECT")
        items_at = cursor.position
        source = self.jump_to_from(named)
        condition = conjunction(source.condition, self.where(source.scope))
        if not cursor.is_symbol(")"):
            raise self.refused()
        end = cursor.position + 1
        cursor.position = items_at
        columns = self.selected_columns(source.scope)
        cursor.position = end
        return _Relation(source.table, condition, Scope(frozenset(), columns), source.aliased)

    def selected_columns(self, scope: Scope) -> Mapping[str, str] | None:
        """The columns that a filtering query hands on; None where it hands on all those of the table."""
        cursor = self.cursor
        columns: dict[str, str] = {}
        everything = False
        while True:
            if cursor.is_symbol("*") or (cursor.is_symbol("*", ahead=2) and cursor.is_symbol(".", ahead=1)):
                cursor.position += 1 if cursor.is_symbol("*") else 3
                everything = True
                columns |= scope.columns or {}
            else:
                start = cursor.position
                column = self.column(scope)
                alias = self.alias()
                shown = alias or plain_name(cursor.tokens[cursor.position - 1])
                if everything and scope.columns is None:
                    raise cursor.error("a column beside * is not supported", cursor.tokens[start])
                columns[shown.casefold()] = column.name
            if not cursor.take_symbol(","):
                break
        if not cursor.is_word("FROM"):
            raise self.refused()
        return scope.columns if everything and scope.columns is None else columns

    def column(self, scope: Scope) -> ColumnName:
        """A column name in a SELECT or GROUP BY list."""
        cursor = self.cursor
        start = cursor.position
        if cursor.is_word("DISTINCT"):
            raise self.refused()
        self.name("a column")
        while cursor.take_symbol("."):
            self.name("a column")
        if cursor.is_symbol("("):
            name = cursor.tokens[start]
            raise cursor.error(f"the function {name.text}(…) is not supported here; name a column", name)
        return cursor.column(cursor.tokens[start : cursor.position], scope)

    def groups(self, items: _Items, scope: Scope) -> tuple[ColumnName, ...]:
        cursor = self.cursor
        if not cursor.take_word("GROUP"):
            return ()
        cursor.expect_word("BY")
        if cursor.take_word("ALL"):
            return tuple(column for column in items.entries if isinstance(column, ColumnName))
        groups: list[ColumnName] = []
        while True:
            if cursor.is_word("ROLLUP", "CUBE", "GROUPING") and cursor.peek(1) is not None:
                raise cursor.error("ROLLUP, CUBE and GROUPING SETS are not supported; ask for each grouping on its own")
            token = cursor.peek()
            if token is not None and token.kind is Kind.NUMBER:
                groups.append(items.at_position(cursor.take()))
            elif token is not None and plain_name(token).casefold() in items.aliases and not cursor.is_symbol(".", ahead=1):
                groups.append(items.aliases[plain_name(cursor.take()).casefold()])
            else:
                groups.append(self.column(scope))
            if not cursor.take_symbol(","):
                return tuple(groups)


class _Items:
    """The SELECT list of a count query: counts and GROUP BY columns."""

    def __init__(self, reader: _Reader, scope: Scope) -> None:
        self.reader = reader
        self.cursor = reader.cursor
        self.scope = scope
        self.counts: list[Count] = []
        self.entries: list[ColumnName | Count] = []
        self.aliases: dict[str, ColumnName] = {}
        self.labels: dict[str, str] = {}

    def read(self) -> None:
        cursor = self.cursor
        while True:
            self.item()
            if not cursor.take_symbol(","):
                break
        if not cursor.is_word("FROM"):
            raise self.reader.refused()
        if not self.counts:
            raise cursor.error(f"nothing is counted: {_HINT}", cursor.tokens[0])

    def item(self) -> None:
        cursor = self.cursor
        start = cursor.position
        if not cursor.is_symbol("(", ahead=1):
            if not cursor.is_word("DISTINCT") and (cursor.peek() is None or cursor.tokens[start].kind is Kind.SYMBOL):
                raise self.reader.refused()
            column = self.reader.column(self.scope)
            written = plain_name(cursor.tokens[cursor.position - 1])
            alias = self.reader.alias()
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
            raise self.reader.refused()
        written_to = cursor.tokens[cursor.position - 1].end
        label = self.unique(
            self.reader.alias() or " ".join(self.reader.script[cursor.tokens[start].start : written_to].split())
        )
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
        return Opposite(Missing(self.reader.column(self.scope)))

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


def table_text(query: CountQuery) -> str:
    """The name of the table behind the query, as written."""
    return query.script[query.table.start : query.table.end]
