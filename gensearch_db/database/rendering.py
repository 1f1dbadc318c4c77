"""The one renderer of SQL: statements from ``sql/*.sql``, with names and values that cannot break out.

Templates are Jinja2. Whatever a template prints must have been quoted explicitly: ``{{ column | identifier }}``,
``{{ table | qualified }}``, ``{{ 5 | integer }}``, ``{{ text | literal }}``, ``{{ type | type_name }}``, or be a fragment
that this module rendered (``Sql``). Anything else raises; values normally travel as bound parameters (``$name``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


class Sql(str):
    """A piece of SQL that is safe to print: quoted by this module, or rendered from a template of ours."""

    __slots__ = ()


class UnquotedError(TypeError):
    """A template tried to print something that nobody quoted: a mistake in this package, never in the user's input."""


def identifier(name: str) -> Sql:
    """A quoted name: ``tricky" name`` becomes ``"tricky"" name"``."""
    if "\0" in name:
        raise ValueError("a name cannot hold a NUL character")
    return Sql('"' + name.replace('"', '""') + '"')


def qualified(parts: Iterable[str]) -> Sql:
    """A quoted dotted name of one to three parts (database, schema, table)."""
    return Sql(".".join(identifier(part) for part in parts))


def literal(text: str) -> Sql:
    """A quoted string, for the few places where DuckDB takes no bound parameter (COMMENT ON, ATTACH, COPY)."""
    if "\0" in text:
        raise ValueError("a string cannot hold a NUL character")
    return Sql("'" + text.replace("'", "''") + "'")


def integer(value: int) -> Sql:
    """A whole number."""
    return Sql(int(value))


_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


def type_name(name: str) -> Sql:
    """A type as DuckDB itself prints it (``DECIMAL(4,1)``, ``ENUM('a', 'b')``); taken only from DuckDB's own answers."""
    if ";" in _QUOTED.sub("", name):
        raise UnquotedError(f"not a type name: {name!r}")
    return Sql(name)


def _refuse_unquoted(value: Any) -> Any:
    if isinstance(value, Sql):
        return value
    raise UnquotedError(f"a template printed {value!r} without quoting it")


@cache
def sql_folder() -> Path:
    """Where the statements are: ``sql/`` beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "sql"
    return installed if installed.is_dir() else package.parent / "sql"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(sql_folder()),
        undefined=StrictUndefined,
        finalize=_refuse_unquoted,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,  # not HTML: quoting is enforced by the finalizer
    )
    environment.filters.update(
        identifier=identifier, qualified=qualified, literal=literal, integer=integer, type_name=type_name
    )
    return environment


def statement(name: str, /, **context: Any) -> Sql:
    """Render ``sql/<name>.sql``. ``name`` may hold a folder: ``audit/k_anonymity``."""
    return Sql(_environment().get_template(f"{name}.sql").render(**context))
