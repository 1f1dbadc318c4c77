"""The shell: scripts from the command line or a file, and an interactive prompt."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gensearch_db.database.engine_errors import translated
from gensearch_db.database.interruptible import InterruptibleRunner
from gensearch_db.database.rendering import statement
from gensearch_db.errors import GensearchError, QueryError, SpecificationError
from gensearch_db.search.result import Progress, never_stop
from gensearch_db.statements.connection import Connection
from gensearch_db.statements.help import help_text
from gensearch_db.statements.output import Mode, write_result
from gensearch_db.statements.script import is_complete, opening_hint, parse_script
from gensearch_db.statements.syntax import (
    Anonymize,
    ApplyRelease,
    Audit,
    EngineStatement,
    Estimate,
    ExplainAnonymize,
    Profile,
    Publish,
)
from gensearch_db.statements.times_as_text import times_as_text

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings

Watch = Callable[[], AbstractContextManager[Progress]]
"""Opens a progress display; what it yields is given to searches."""

Wait = Callable[[str], AbstractContextManager[None]]
"""Shows a line while something else than a search takes its time."""


def _unwatched() -> AbstractContextManager[Progress]:
    return nullcontext(never_stop)


def _unwaited(line: str) -> AbstractContextManager[None]:
    return nullcontext()


_DOING: dict[type, str] = {
    Audit: "auditing",
    Estimate: "estimating",
    Publish: "publishing",
    Profile: "reading the table",
    ExplainAnonymize: "reading the table",
    ApplyRelease: "writing the release and auditing it (Ctrl-C undoes it)",
}
"""What a statement does, for a person who waits for it."""

COMMANDS_HELP = """\
.help [TOPIC]     help on a statement, clause or option; constraints; costs
.tables           the tables and views
.columns TABLE    its columns
.mode MODE        how results are printed: table, json or csv
.quit             leave (so does Ctrl-D)"""


class Shell:
    """Runs statements on a connection and prints each result to ``stream``."""

    def __init__(
        self,
        connection: Connection,
        mode: Mode = Mode.TABLE,
        stream: IO[str] | None = None,
        watch: Watch = _unwatched,
        wait: Wait = _unwaited,
    ) -> None:
        self.connection = connection
        self.mode = mode
        self.stream = stream if stream is not None else sys.stdout
        self._watch = watch
        self._wait = wait
        self._printed = False

    def run(self, *scripts: str) -> None:
        """Run scripts, all read as a whole before any of them runs, and print the result of each statement.

        Raises :class:`GensearchError`, DuckDB's errors in our words with DuckDB's own text.
        """
        statements = [each for script in scripts for each in self._statements(script)]
        for each in statements:
            self._run_one(each)

    def command(self, line: str) -> bool:
        """Carry out a dot command; False if the shell is to end. Raises :class:`QueryError` for an unknown one."""
        name, _, rest = line.strip().partition(" ")
        rest = rest.strip().rstrip(";")
        if name in (".quit", ".exit"):
            return False
        if name == ".help":
            self.stream.write((help_text(rest) if rest else f"{help_text()}\n\n{COMMANDS_HELP}") + "\n")
        elif name == ".tables":
            self._run_one(statement("statements/tables"))
        elif name == ".columns" and rest:
            self.run(f"DESCRIBE {rest}")
        elif name == ".mode" and rest in list(Mode):
            self.mode = Mode(rest)
        else:
            raise QueryError(f"'{line.strip()}' is no command of the shell:\n{COMMANDS_HELP}")
        return True

    def interact(self, greeting: str = "") -> None:
        """Read statements from a person until .quit or Ctrl-D. Errors are printed, and the shell goes on."""
        session = _prompt_session(self.connection)
        self.stream.write(greeting + "gensearch-db on DuckDB. Statements end with a semicolon; .help helps, .quit leaves.\n")
        while True:
            try:
                text = session.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            if not self.respond(text):
                return

    def respond(self, text: str) -> bool:
        """Carry out what a person typed; errors are printed. False if the shell is to end."""
        try:
            if text.lstrip().startswith("."):
                return self.command(text)
            self.run(text)
        except GensearchError as error:
            self.stream.write(f"{error}\n")
        except KeyboardInterrupt:
            self.stream.write("interrupted\n")
        return True

    def _statements(self, script: str) -> Iterator[Any]:
        """Our statements as we read them, DuckDB's as DuckDB reads them."""
        for each in parse_script(script):
            if isinstance(each, EngineStatement):
                with _told_in_full(each.text):
                    yield from self.connection.engine.extract_statements(each.text)
            else:
                yield each

    def _run_one(self, each: Any) -> None:
        import duckdb

        script = each.query if isinstance(each, duckdb.Statement) else ""
        with _told_in_full(script), self._displayed(each):
            if isinstance(each, str | duckdb.Statement):
                columns, rows = self._engine_rows(each)
            else:
                self.connection.carry_out(each)
                columns, rows = self._fetched()
        if _answers(each, columns):
            if self._printed and self.mode is Mode.CSV:
                self.stream.write("\n")
            write_result(columns, rows, self.mode, self.stream)
            self._printed = True
        self.stream.flush()

    @contextmanager
    def _displayed(self, each: Any) -> Iterator[None]:
        """What is shown while a statement takes its time. Only a search is watched: elsewhere Ctrl-C ends what is running."""
        if isinstance(each, Anonymize):
            with self._watch() as self.connection.progress:
                yield
        else:
            with self._wait(_DOING.get(type(each), "running the statement")):
                yield

    def _engine_rows(self, each: Any) -> tuple[list[str], list[Any]]:
        """Run a statement of DuckDB's so that Ctrl-C ends it at once."""

        def run() -> tuple[list[str], list[Any]]:
            """The statement's column names and rows."""
            told = None if isinstance(each, str) else times_as_text(self.connection.engine, each)
            if told is not None:
                return told.columns, told.fetchall()
            self.connection.execute(each)
            return self._fetched()

        return InterruptibleRunner(self.connection.interrupt).run(run)

    def _fetched(self) -> tuple[list[str], list[Any]]:
        columns = [column[0] for column in self.connection.description or []]
        return columns, self.connection.fetchall()


def _answers(each: Any, columns: list[str]) -> bool:
    """Whether a statement has rows to show: not CREATE or SET, nor INSERT with nothing but DuckDB's count of changed rows."""
    import duckdb

    if not isinstance(each, duckdb.Statement):
        return True
    expected = each.expected_result_type
    if duckdb.ExpectedResultType.CHANGED_ROWS in expected:
        return columns != ["Count"]
    return duckdb.ExpectedResultType.QUERY_RESULT in expected


@contextmanager
def _told_in_full(script: str = "") -> Iterator[None]:
    """DuckDB's errors as ours, but with DuckDB's own text where it points into a statement.

    ``script``: what DuckDB could not read; a misspelt opening of ours in it is told.
    """
    import duckdb

    try:
        with translated():
            yield
    except SpecificationError as error:
        if type(error) is SpecificationError and isinstance(error.__cause__, duckdb.Error):
            raise QueryError(str(error.__cause__) + opening_hint(script)) from error.__cause__
        raise


def _prompt_session(connection: Connection) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory
    from prompt_toolkit.lexers import PygmentsLexer
    from pygments.lexers.sql import SqlLexer

    from gensearch_db.statements.completion import StatementCompleter

    history: History
    try:
        file = history_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        history = FileHistory(str(file))
    except OSError:
        history = InMemoryHistory()
    return PromptSession(
        "gensearch> ",
        history=history,
        completer=StatementCompleter(connection),
        complete_while_typing=False,
        lexer=PygmentsLexer(SqlLexer),
        multiline=True,
        prompt_continuation="      ...> ",
        key_bindings=_submit_when_complete(),
    )


def history_file() -> Path:
    """Where the shell remembers what was typed: the user's own state folder."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "gensearch-db" / "history"


def _submit_when_complete() -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    bindings = KeyBindings()

    @bindings.add("enter")
    def enter(event: KeyPressEvent) -> None:
        """Submit a finished statement or a dot command; otherwise start a new line."""
        buffer = event.current_buffer
        text = buffer.text.strip()
        if not text or text.startswith(".") or is_complete(text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
