"""The description of our SQL that the tables of ``entries.py`` make: ``.help`` in the shell and ``docs/sql.md``.

``python -m gensearch_db.statements.help`` prints the page; a test holds ``docs/sql.md`` to it, and parses every example.
"""

from __future__ import annotations

from gensearch_db.errors import QueryError, near_matches
from gensearch_db.statements.entries import CLAUSES, OPTIONS, STATEMENTS, Entry

LABELS = """\
`COMMENT ON COLUMN t.age IS 'quasi-identifier split every 5'` labels a column. The first words of the comment are `identifier`,
`person`, `quasi-identifier` (with the options above), `sensitive` or `keep`; after `;` any remark may follow. Other comments
are no labels, and a column without label is not released. With labels in place,
`ANONYMIZE TABLE t INTO r SUBJECT TO k_anonymity(10)` works alone."""


PLACES = """\
```python
import gensearch_db

with gensearch_db.connect("people.duckdb") as connection:
    connection.sql("ANONYMIZE TABLE people INTO safe QUASI IDENTIFIERS (age, sex) SUBJECT TO k_anonymity(10)").show()
    connection.execute("AUDIT safe AGAINST people").df()
```

The connection is a DuckDB connection in all else: parameters, relations, `df()`, cursors, `FROM` a DataFrame or an Arrow table
of the caller, in our statements too (`PROFILE df`). Our own statements take no parameters.

```
gensearch sql people.duckdb                                # a prompt: history, completion, .help
gensearch sql people.duckdb -c "PROFILE people" --json     # or --csv; -f script.sql; or a script on standard input
gensearch publish people.duckdb safe --to handout.duckdb
```

With `--json` each result is one array of objects on a line of its own; with `--csv` an empty line stands between two results,
NULL is nothing and an empty string `""` (where rows are one value NULL is `""` too, as its line would be empty; `--json` tells
them apart). Nothing is rounded: a DECIMAL is a string in JSON (`"1.50"`), as most readers turn
JSON's numbers into doubles, and dates, times and intervals are text as DuckDB prints them (`1 month 2 days`). NaN is `null` in
JSON, an infinite number `"inf"`. In tables and errors, control characters of values are written out
(`\\x1b`), so that they do nothing at a terminal; `--csv` has them as they are. Ctrl-C ends the statement that is running.

In a notebook, `%load_ext gensearch_db` adds `%gensearch people.duckdb` (choose a database) and `%%gensearch [variable]` (run a
cell, give a DataFrame): see [notebook.ipynb](notebook.ipynb).

The lexer is DuckDB's own, so a script is cut into statements exactly where DuckDB would cut it. Errors name line and column and
point at the word. All that is wrong with the text of a script is told at once, before any of it runs: clauses and columns that
cannot be read, misspelt constraints, costs and options, columns named twice. Then each statement tells at once all that does
not fit the database."""


def help_text(topic: str = "") -> str:
    """Help on a statement, clause, option, ``constraints`` or ``costs``; an overview without topic.

    Raises :class:`QueryError` with near matches for an unknown topic.
    """
    wanted = " ".join(topic.upper().split()).rstrip(";")
    if not wanted:
        lines = [f"{entry.words:<26}{entry.meaning.split('. ')[0].rstrip('.')}." for entry in STATEMENTS]
        return "\n".join([*lines, "", "More: .help ANONYMIZE, .help QUASI IDENTIFIERS, .help constraints, .help costs, …"])
    if wanted in ("CONSTRAINTS", "COSTS"):
        return "\n".join(f"{name:<28}{meaning}" for name, meaning in registered()[wanted.lower()])
    found = [entry for entry in (*STATEMENTS, *CLAUSES, *OPTIONS) if entry.words == wanted]
    if not found:
        known = [entry.words for entry in (*STATEMENTS, *CLAUSES, *OPTIONS)] + ["CONSTRAINTS", "COSTS"]
        raise QueryError(f"there is no help on '{topic}'{near_matches(topic, known)}")
    parts = [f"{entry.syntax}\n  {entry.meaning}\n  Example: {entry.example}" for entry in found]
    if wanted == "ANONYMIZE":
        parts.append("Clauses:\n" + "\n".join(f"  {entry.syntax}" for entry in CLAUSES))
    if wanted == "QUASI IDENTIFIERS":
        parts.append("Options of a column:\n" + "\n".join(f"  {entry.syntax}" for entry in OPTIONS))
    return "\n\n".join(parts)


def registered() -> dict[str, list[tuple[str, str]]]:
    """The ``constraints`` and ``costs`` by name, each with the first line of its documentation."""
    from gensearch_db.cost.registry import COSTS
    from gensearch_db.privacy.registry import CONSTRAINTS

    def described(classes: dict[str, type]) -> list[tuple[str, str]]:
        """Each name with the first line of its class's documentation."""
        return [(name, (kind.__doc__ or name).strip().splitlines()[0].replace("``", "`")) for name, kind in classes.items()]

    return {"constraints": described(dict(CONSTRAINTS)), "costs": described(dict(COSTS))}


def keywords() -> list[str]:
    """Every word of our statements, for completion."""
    words = {
        word
        for entry in (*STATEMENTS, *CLAUSES, *OPTIONS)
        for word in entry.syntax.replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").split()
        if word.isalpha() and word.isupper() and len(word) > 1
    }
    return sorted(words)


def page() -> str:
    """``docs/sql.md``."""
    parts = [
        "# The SQL of gensearch-db",
        "<!-- Made by `python -m gensearch_db.statements.help`. Edit entries.py beside it instead. -->",
        "`gensearch_db.connect(path)` gives a DuckDB connection that also understands the statements below; so do "
        "`gensearch sql` and the `%%gensearch` magic. Everything else goes to DuckDB untouched. Keywords are "
        "case-insensitive, and none of them is reserved: a table may be called `audit`. A script is read as a whole "
        "before any of it runs. Each statement answers with a relation, like any query.",
        "## Where they work",
        PLACES,
        "## Statements",
        *(
            f"### {entry.words}\n\n```\n{entry.syntax}\n```\n\n{entry.meaning}\n\n```sql\n{entry.example};\n```"
            for entry in STATEMENTS
        ),
        "## Clauses of ANONYMIZE",
        _table(CLAUSES),
        "## Options of a quasi-identifier",
        _table(OPTIONS),
        "## Labels: column comments as roles",
        LABELS,
    ]
    for title, entries in registered().items():
        rows = "\n".join(f"| `{name}` | {_cell(meaning)} |" for name, meaning in entries)
        parts.append(f"## {title.capitalize()}\n\n| name | meaning |\n|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def _table(entries: tuple[Entry, ...]) -> str:
    rows = (f"| `{_cell(entry.syntax)}` | {entry.meaning} | `{entry.example}` |" for entry in entries)
    return "| written | meaning | example |\n|---|---|---|\n" + "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
