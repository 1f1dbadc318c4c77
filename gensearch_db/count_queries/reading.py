"""Reading count queries: ``SELECT COUNT(*) FROM t WHERE …`` with FILTER, SUM(CASE …), GROUP BY, filtering CTEs and subqueries.

The words are cut by DuckDB's own lexer and the grammar is read by hand, so that every refusal can say what is not supported
and where. The query is never rewritten for execution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gensearch_db.argument_kinds import TEXT, refuse_other_kinds
from gensearch_db.count_queries.clauses import HINT, REFUSED, Clauses
from gensearch_db.count_queries.conditions import read_condition
from gensearch_db.count_queries.cursor import Cursor, Scope, plain_name
from gensearch_db.count_queries.model import (
    ColumnName,
    CountQuery,
    Place,
    Predicate,
    conjunction,
)
from gensearch_db.count_queries.select_items import SelectItems
from gensearch_db.errors import QueryError
from gensearch_db.tokens import Kind, Token, error_at, tokenize


def read_queries(script: str) -> tuple[CountQuery, ...]:
    """The count queries of a script, separated by semicolons. Raises :class:`QueryError` at the first that cannot be read."""
    refuse_other_kinds(script=(script, TEXT))
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
        raise QueryError(f"there is no query in the text: {HINT}")
    return tuple(queries)


def read_query(text: str) -> CountQuery:
    """The one count query in ``text``. Raises :class:`QueryError` with line and column, also where there are several."""
    refuse_other_kinds(text=(text, TEXT))
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


class _Reader(Clauses):
    def __init__(self, script: str, tokens: Sequence[Token]) -> None:
        super().__init__(Cursor(script, tokens))
        self.script = script

    def query(self) -> CountQuery:
        """One whole query, from WITH or SELECT on."""
        cursor = self.cursor
        named = self.common_tables() if cursor.is_word("WITH") else {}
        if not cursor.is_word("SELECT"):
            found = cursor.peek()
            raise cursor.error(f"this is not a count query: {HINT}" + (f"; found '{found.text}'" if found else ""))
        cursor.take()
        items_at = cursor.position
        relation = self.jump_to_from(named)
        where = self.where(relation.scope)
        after_where = cursor.position
        cursor.position = items_at
        items = SelectItems(self.cursor, relation.scope)
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

    def common_tables(self) -> dict[str, _Relation]:
        """The tables that WITH names, each of which may only filter."""
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

    def jump_to_from(self, named: Mapping[str, _Relation]) -> _Relation:
        """Go to the FROM of the SELECT whose items begin here, and read it."""
        cursor = self.cursor
        while not cursor.is_word("FROM"):
            token = cursor.peek()
            if token is None or token.text == ")":
                raise cursor.error(f"there is no FROM: {HINT}")
            if token.kind is Kind.SYMBOL and token.text in "([{":
                cursor.position = cursor.closing(cursor.position)
            cursor.position += 1
        cursor.take()
        return self.source(named)

    def source(self, named: Mapping[str, _Relation]) -> _Relation:
        """What FROM reads: a table, a table that WITH names, or a query in parentheses."""
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
        """A table's name, part by part, and where it stands."""
        cursor = self.cursor
        first = cursor.peek()
        if first is None or (first.kind is Kind.SYMBOL) or cursor.is_word(*REFUSED):
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

    def where(self, scope: Scope) -> Predicate | None:
        """The condition after WHERE, if there is one."""
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

    def groups(self, items: SelectItems, scope: Scope) -> tuple[ColumnName, ...]:
        """The columns after GROUP BY; none without it."""
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
