"""What all parts of a count query's SELECT share: names, aliases, columns, and the refusal of what is not supported."""

from __future__ import annotations

from gensearch_db.count_queries.cursor import Cursor, Scope, plain_name
from gensearch_db.count_queries.model import ColumnName
from gensearch_db.errors import QueryError
from gensearch_db.tokens import Kind

REFUSED = {
    "JOIN": "a join", "INNER": "a join", "LEFT": "a join", "RIGHT": "a join", "FULL": "a join", "CROSS": "a join",
    "NATURAL": "a join", "ASOF": "a join", "SEMI": "a join", "ANTI": "a join", "POSITIONAL": "a join", "LATERAL": "a join",
    "UNION": "UNION", "INTERSECT": "INTERSECT", "EXCEPT": "EXCEPT", "HAVING": "HAVING", "QUALIFY": "QUALIFY",
    "WINDOW": "a window function", "OVER": "a window function", "LIMIT": "LIMIT", "OFFSET": "OFFSET", "FETCH": "FETCH",
    "ORDER": "ORDER BY", "DISTINCT": "DISTINCT", "TABLESAMPLE": "a sample", "USING": "USING", "GROUP": "GROUP BY",
    "PIVOT": "PIVOT", "UNPIVOT": "UNPIVOT", "EXCLUDE": "EXCLUDE", "REPLACE": "REPLACE", "RENAME": "RENAME",
}  # fmt: skip
CLAUSES = frozenset(["FROM", "WHERE", "GROUP", "FILTER", "AS", *REFUSED])
HINT = "a count query reads SELECT COUNT(*) FROM table WHERE condition"


class Clauses:
    """Reads the small parts of a SELECT at a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor

    def refused(self) -> QueryError:
        """An error about the next word, which no count query can go on with."""
        token = self.cursor.peek()
        if token is None:
            return self.cursor.error("the query ends too early")
        if token.kind is Kind.WORD and token.text.upper() in REFUSED:
            return self.cursor.error(f"{REFUSED[token.text.upper()]} is not supported in a count query")
        if token.is_symbol(","):
            return self.cursor.error("a join (more than one table in FROM) is not supported in a count query")
        return self.cursor.error(f"cannot read '{token.text}' here: {HINT}")

    def name(self, wanted: str) -> str:
        """A name, quoted or not."""
        token = self.cursor.peek()
        if token is None or token.kind not in (Kind.WORD, Kind.QUOTED):
            raise self.cursor.error(f"expected {wanted}")
        return plain_name(self.cursor.take())

    def alias(self) -> str | None:
        """``AS name``, or a name alone where no clause begins."""
        cursor = self.cursor
        explicit = cursor.take_word("AS") is not None
        token = cursor.peek()
        if token is None or token.kind not in (Kind.WORD, Kind.QUOTED):
            return None
        if not explicit and token.kind is Kind.WORD and token.text.upper() in CLAUSES:
            return None
        name = plain_name(cursor.take())
        if cursor.is_symbol("("):
            raise cursor.error("a list of column names after an alias is not supported; rename in the SELECT list")
        return name

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
