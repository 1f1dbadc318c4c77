"""Names and values as SQL and TOML text, written here on their own: the tests share no quoting with the package."""

from __future__ import annotations

import json
import re
from typing import Any


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """``text`` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def parts(name: str) -> tuple[str, ...]:
    """The parts of a dotted name, unquoted."""
    found = re.findall(r'"((?:[^"]|"")+)"|([^".]+)', name)
    return tuple(inner.replace('""', '"') if inner else bare for inner, bare in found)


def companion(release: str, ending: str = "_blocks") -> str:
    """The SQL name of ``<release>_blocks``."""
    *schema, last = parts(release)
    return ".".join(quoted(part) for part in (*schema, last + ending))


def source_of(table: str) -> str:
    """A table name or a query in parentheses, as it stands in FROM."""
    return f"{table} AS given" if table.startswith("(") else table


def taxonomy_of(given: str) -> str:
    """A taxonomy's table, query or file of levels (divided by semicolons), as it stands in FROM."""
    if given.endswith(".csv"):
        return f"read_csv({literal(given)}, delim = ';', header = false, all_varchar = true)"
    return source_of(given)


def toml(problem: dict[str, Any]) -> str:
    """A problem's fields as a TOML document."""
    plain = {key: value for key, value in problem.items() if not isinstance(value, dict)}
    lines = [f"{key} = {_toml_value(value)}" for key, value in plain.items()]
    for key, table in problem.items():
        if isinstance(table, dict):
            lines.append(f"[{key}]")
            lines += [f"{_toml_text(name)} = {_toml_value(value)}" for name, value in table.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_text(key)} = {_toml_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(inner) for inner in value) + "]"
    return _toml_text(value) if isinstance(value, str) else json.dumps(value)


def _toml_text(text: str) -> str:
    """JSON's escapes are TOML's, but for characters beyond 16 bits (not in pairs) and DEL (escaped)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
