"""Releases made by hand, as the contract in docs/architecture.md has them: a blocks table and its dictionary."""

from __future__ import annotations

from typing import Any

import duckdb

from gensearch_db.database.dictionary import QuasiIdentifierColumns, ReleaseDictionary, SensitiveColumn


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def ordered(name: str, type_: str, *, missing: bool = False, integral: bool | None = None) -> QuasiIdentifierColumns:
    whole = type_ in ("TINYINT", "INTEGER", "BIGINT", "UBIGINT", "HUGEINT", "DATE") if integral is None else integral
    return QuasiIdentifierColumns(
        name=name, kind="ordered", type=type_, label=name, lower=f"{name}_lower", upper=f"{name}_upper",
        missing=f"{name}_missing" if missing else None, integral=whole,
    )  # fmt: skip


def categorical(name: str, type_: str = "VARCHAR") -> QuasiIdentifierColumns:
    return QuasiIdentifierColumns(name=name, kind="categorical", type=type_, label=name, values=f"{name}_values")


def sensitive(name: str, type_: str = "VARCHAR") -> SensitiveColumn:
    return SensitiveColumn(name=name, type=type_, distribution=f"{name}_distribution")


def make_release(
    connection: duckdb.DuckDBPyConnection,
    release: str,
    columns: list[QuasiIdentifierColumns | SensitiveColumn],
    blocks: list[dict[str, Any]],
    keep: tuple[str, ...] = (),
) -> None:
    """``blocks`` give ``count`` and per column ``(lower, upper[, missing])``, a list of values, or {value: count}."""
    quasi = tuple(column for column in columns if isinstance(column, QuasiIdentifierColumns))
    secret = tuple(column for column in columns if isinstance(column, SensitiveColumn))
    types: dict[str, str] = {}
    for column in quasi:
        types[column.label] = "VARCHAR"
        if column.kind == "ordered":
            types |= {str(column.lower): column.type, str(column.upper): column.type}
            if column.missing:
                types[column.missing] = "VARCHAR"
        else:
            types[str(column.values)] = f"{column.type}[]"
    types["count"] = "BIGINT"
    for entry in secret:
        types[entry.distribution] = f'STRUCT("value" {entry.type}, "count" BIGINT)[]'
    table = quoted(f"{release}_blocks")
    connection.execute(f"CREATE TABLE {table} ({', '.join(f'{quoted(n)} {t}' for n, t in types.items())})")
    for block in blocks:
        values = dict.fromkeys(types, None) | {"count": block["count"]}
        for column in quasi:
            region = block[column.name]
            values[column.label] = str(region)
            if column.kind == "ordered":
                values[str(column.lower)], values[str(column.upper)] = region[:2]
                if column.missing:
                    values[column.missing] = region[2] if len(region) > 2 else "no"
            else:
                values[str(column.values)] = region
        for entry in secret:
            values[entry.distribution] = [{"value": v, "count": n} for v, n in block[entry.name].items()]
        marks = ", ".join(f"CAST(? AS {type_})" for type_ in types.values())
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", list(values.values()))
    dictionary = ReleaseDictionary(
        release=release, rows=sum(block["count"] for block in blocks), count="count", quasi_identifiers=quasi,
        sensitive=secret, keep=keep,
    )  # fmt: skip
    text = dictionary.to_json().replace("'", "''")
    connection.execute(f"COMMENT ON TABLE {table} IS '{text}'")


def identity_release(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    release: str,
    columns: list[QuasiIdentifierColumns | SensitiveColumn],
) -> None:
    """The release with k = 1 and nothing generalised, made of a table by SQL."""
    quasi = [column for column in columns if isinstance(column, QuasiIdentifierColumns)]
    secret = [column for column in columns if isinstance(column, SensitiveColumn)]
    shown: list[str] = []
    keys: list[str] = []
    for column in quasi:
        name = quoted(column.name)
        is_float = column.type in ("FLOAT", "DOUBLE")
        value = f"CASE WHEN NOT isnan({name}) THEN {name} END" if is_float else name
        keys.append(value)
        shown.append(f"CAST({value} AS VARCHAR) AS {quoted(column.label)}")
        if column.kind == "ordered":
            upper = f"CAST({value} + 1 AS {column.type})" if column.integral else value
            shown.append(f"{value} AS {quoted(str(column.lower))}, {upper} AS {quoted(str(column.upper))}")
            if column.missing:
                shown.append(f"CASE WHEN {value} IS NULL THEN 'only' ELSE 'no' END AS {quoted(column.missing)}")
        else:
            shown.append(f"[{value}] AS {quoted(str(column.values))}")
    for entry in secret:
        name = quoted(entry.name)
        shown.append(f"[{{'value': {name}, 'count': count(*)}}] AS {quoted(entry.distribution)}")
        keys.append(name)
    group = f"GROUP BY {', '.join(keys)}" if keys else ""
    select = f'SELECT {", ".join(shown)}, count(*)::BIGINT AS "count" FROM {table} {group}'
    connection.execute(f"CREATE TABLE {quoted(release + '_blocks')} AS {select}")
    (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
    dictionary = ReleaseDictionary(
        release=release, rows=rows, count="count", quasi_identifiers=tuple(quasi), sensitive=tuple(secret)
    )
    text = dictionary.to_json().replace("'", "''")
    connection.execute(f"COMMENT ON TABLE {quoted(release + '_blocks')} IS '{text}'")
