"""Column comments as labels: ``COMMENT ON COLUMN t.age IS 'quasi-identifier split every 5'`` says what a column is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gensearch_db.database.names import written_name
from gensearch_db.database.places import existing_table
from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import GensearchError, Problems, SpecificationError
from gensearch_db.problem.columns import QuasiIdentifier
from gensearch_db.problem.files import is_file
from gensearch_db.problem.problem import Problem
from gensearch_db.statements.attributes import read_options
from gensearch_db.statements.reader import Reader
from gensearch_db.statements.syntax import Anonymize
from gensearch_db.tokens import tokenize

_ROLE = re.compile(r"\s*(quasi[-_ ]?identifier|identifier|person|sensitive|keep)\b(.*)", re.IGNORECASE | re.DOTALL)
_FIELDS = {"identifier": "identifiers", "person": "person", "sensitive": "sensitive", "keep": "keep"}


def roles_from_comments(comments: Iterable[tuple[str, str | None]]) -> dict[str, Any]:
    """The roles that the comments of a table's columns give, as fields of a :class:`Problem`.

    ``comments`` are pairs of column and comment. A comment that begins with ``quasi-identifier`` must read as a label to its
    end or to a semicolon; the other roles count only where they stand alone or before a semicolon, so that a remark such as
    "identifier of the sensor" is no label. Raises :class:`SpecificationError` with all comments that cannot be read.
    """
    problems = Problems(SpecificationError)
    quasi_identifiers: dict[str, QuasiIdentifier] = {}
    roles: dict[str, list[str]] = {field: [] for field in _FIELDS.values()}
    for column, comment in comments:
        found = _ROLE.fullmatch(comment or "")
        if found is None:
            continue
        role, rest = found[1].lower(), found[2]
        if role.startswith("quasi"):
            try:
                quasi_identifiers[column] = _options(rest)
            except GensearchError as error:
                problems.add(f"the comment of column '{column}' is no label: {error}")
        elif not rest.partition(";")[0].strip(" .\n\t"):
            roles[_FIELDS[role]].append(column)
    if len(roles["person"]) > 1:
        problems.add(
            f"the comments of columns {', '.join(roles['person'])} all say 'person'; only one column can tell persons apart"
        )
    problems.raise_if_any()
    fields: dict[str, Any] = {field: tuple(names) for field, names in roles.items() if field != "person"}
    return {**fields, "person": next(iter(roles["person"]), None), "quasi_identifiers": quasi_identifiers}


def _options(text: str) -> QuasiIdentifier:
    tokens = tokenize(text)
    end = next((position for position, token in enumerate(tokens) if token.is_symbol(";")), len(tokens))
    reader = Reader(text, tokens[:end])
    attribute = read_options(reader, 0)
    reader.finish()
    return attribute


def labelled_problem(session: Session, anonymize: Anonymize) -> Problem:
    """The problem of a statement; one that names no columns takes their roles from the comments of the table's columns.

    Raises :class:`SpecificationError` where neither says what a quasi-identifier is.
    """
    if anonymize.names_roles:
        return anonymize.problem()
    table = anonymize.fields["table"]
    if table.startswith("(") or is_file(table):
        raise SpecificationError(
            "the statement names no columns: name at least QUASI IDENTIFIERS (…); only tables have column comments"
        )
    database, schema, name = existing_table(session, table)
    comments = session.rows(statement("statements/column_comments"), {"database": database, "schema": schema, "name": name})
    roles = roles_from_comments(comments)
    if not roles["quasi_identifiers"]:
        raise SpecificationError(
            f"neither the statement nor a comment says which columns of {table} are quasi-identifiers: name "
            f"QUASI IDENTIFIERS (…), or label columns: COMMENT ON COLUMN {table}.{written_name(comments[0][0])} IS "
            "'quasi-identifier'"
        )
    return anonymize.problem(roles)
