"""What the interactive shell completes: keywords of ours and DuckDB's, tables, columns and releases."""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from gensearch_db.database.names import written_name
from gensearch_db.database.rendering import statement
from gensearch_db.errors import GensearchError
from gensearch_db.statements.connection import Connection
from gensearch_db.statements.entries import CLAUSES, OPTIONS, STATEMENTS
from gensearch_db.statements.help import keywords

ENGINE_KEYWORDS = ("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "CREATE", "INSERT INTO", "UPDATE", "DELETE")
COMMANDS = (".help", ".tables", ".columns", ".mode", ".quit")


class StatementCompleter(Completer):
    """Completes the word before the cursor; names are looked up in the database each time, keywords come after them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keywords = sorted({*keywords(), *ENGINE_KEYWORDS})

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions of the word before the cursor, in any case."""
        line = document.text_before_cursor
        word = document.get_word_before_cursor(pattern=None, WORD=False)
        if line.startswith("."):
            word, candidates = _command_word(line)
        elif not word.strip() or not (word[0].isalpha() or word[0] == "_"):
            return
        else:
            candidates = [*self._names(), *self._keywords]
        for candidate in dict.fromkeys(candidates):
            if candidate.strip('"').casefold().startswith(word.casefold()):
                yield Completion(candidate, start_position=-len(word))

    def _names(self) -> list[str]:
        import duckdb

        try:
            with self._connection.engine.cursor() as cursor:
                found = cursor.execute(statement("statements/names")).fetchall()
        except (duckdb.Error, GensearchError):
            return []
        return [written_name(name) for (name,) in found]


def _command_word(line: str) -> tuple[str, list[str]]:
    command, space, rest = line.partition(" ")
    if not space:
        return command, list(COMMANDS)
    if command == ".help":
        return rest, [entry.words for entry in (*STATEMENTS, *CLAUSES, *OPTIONS)] + ["constraints", "costs"]
    if command == ".mode":
        return rest, ["table", "json", "csv"]
    return rest, []
