"""The command ``gensearch``: a thin skin over the API. Heavy modules are imported when a command runs."""

from __future__ import annotations

import io
import os
import sys

import typer

from gensearch_db.cli import anonymize, audit, demo, estimate, publish, queries, releases, sql
from gensearch_db.errors import GensearchError

application = typer.Typer(
    name="gensearch",
    help="Anonymize tables inside DuckDB: the optimal generalization, with a certificate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
application.command("anonymize", epilog=anonymize.EXAMPLES)(anonymize.command)
application.command("audit", epilog=audit.EXAMPLES)(audit.command)
application.command("releases", epilog=releases.EXAMPLES)(releases.command)
application.command("sql", epilog=sql.EXAMPLES)(sql.command)
application.command("publish", epilog=publish.EXAMPLES)(publish.command)
application.command("estimate", epilog=estimate.EXAMPLES)(estimate.command)
application.add_typer(queries.application, name="queries")
application.command("demo")(demo.command)

USAGE_ERROR: type[typer.BadParameter] = typer.BadParameter.__base__  # type: ignore[assignment]
"""What a wrong command line raises. Typer has a public name for this subclass only, and may bring a click of its own."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_INTERRUPTED_MESSAGE = "interrupted; a release is written whole or not at all: 'gensearch releases' lists those that are there"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors become one message on stderr and the exit code of their class."""
    _print_what_can_be_printed()
    try:
        code = application(arguments, standalone_mode=False)
        if code == INTERRUPTED:  # Typer turns Ctrl-C into this code without a word
            _complain(_INTERRUPTED_MESSAGE)
        if isinstance(code, int):
            sys.exit(code)
    except GensearchError as error:
        _complain(str(error))
        sys.exit(error.exit_code)
    except USAGE_ERROR as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _complain(_INTERRUPTED_MESSAGE)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _print_what_can_be_printed() -> None:
    """Escape characters that the terminal's encoding lacks: a box around a table is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str) -> None:
    print(f"gensearch: error: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
