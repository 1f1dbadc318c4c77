"""Where a release stands: the names of existing tables, resolved to database, schema and table."""

from __future__ import annotations

from gensearch_db.database.names import parse_table_name
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session, TableName
from gensearch_db.errors import SpecificationError, near_matches


def place(session: Session, written: str) -> TableName:
    """The full name that ``t``, ``schema.t``, ``database.t`` or ``database.schema.t`` means.

    Raises :class:`SpecificationError` where the schema or database does not exist.
    """
    parts = parse_table_name(written)
    database, schema = session.row(statement("catalog/current"))
    if len(parts) == 1:
        return (database, schema, parts[0])
    known = session.rows(statement("catalog/schemas"))
    candidates = [(database, parts[0]), (parts[0], "main")] if len(parts) == 2 else [(parts[0], parts[1])]
    for wanted_database, wanted_schema in candidates:
        for found_database, found_schema in known:
            if found_database.casefold() == wanted_database.casefold() and found_schema.casefold() == wanted_schema.casefold():
                return (found_database, found_schema, parts[-1])
    where = ".".join(parts[:-1])
    names = [schema for of_database, schema in known if of_database == database]
    raise SpecificationError(f"'{written}': there is no schema or database '{where}'{near_matches(parts[0], names)}")


def existing_table(session: Session, written: str) -> TableName:
    """Like :func:`place`, in the table's own spelling. Raises :class:`SpecificationError` where there is none."""
    database, schema, table = place(session, written)
    found = session.rows(statement("catalog/relations"), {"database": database, "schema": schema, "name": table})
    if found:
        return (database, schema, found[0][1])
    names = [name for (name,) in session.rows(statement("catalog/tables"), {"database": database, "schema": schema})]
    raise SpecificationError(f"table '{written}' does not exist{near_matches(table, names)}")


def column_types(session: Session, table: TableName) -> dict[str, str]:
    """The columns of a table or view, in order, with their types."""
    database, schema, name = table
    return dict(session.rows(statement("catalog/columns"), {"database": database, "schema": schema, "name": name}))


def table_comment(session: Session, table: TableName) -> str | None:
    """The comment of a table; None where there is no comment or no table."""
    database, schema, name = table
    found = session.rows(statement("catalog/relations"), {"database": database, "schema": schema, "name": name})
    return found[0][2] if found else None
