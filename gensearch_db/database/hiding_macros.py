"""Macros of the user that have the name of a function of DuckDB's: our statements would call them, and so would the audit."""

from __future__ import annotations

from gensearch_db.database.rendering import statement
from gensearch_db.database.session import Session
from gensearch_db.errors import SpecificationError


def refuse_hiding_macros(session: Session) -> None:
    """Raise :class:`SpecificationError` where a macro hides a built-in function: no result would mean what it says."""
    functions = statement("session/macros")
    macros = session.rows(functions, {"internal": False})
    if not macros:
        return
    own = {name for _, _, name in session.rows(functions, {"internal": True})}
    hiding = [".".join(macro) for macro in macros if macro[2] in own]
    if hiding:
        names = ", ".join(f"'{name}'" for name in hiding)
        raise SpecificationError(
            f"the macro {names} hides a function of DuckDB's own, so that what is computed here could not be trusted: drop it,"
            " or give it another name"
        )
