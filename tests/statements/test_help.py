"""One source of help: the documentation page is made from it, its examples are read, the parser knows every word of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gensearch_db.errors import QueryError
from gensearch_db.statements.anonymize_clauses import CLAUSES
from gensearch_db.statements.attributes import OPTIONS
from gensearch_db.statements.entries import CLAUSES as CLAUSE_HELP
from gensearch_db.statements.entries import OPTIONS as OPTION_HELP
from gensearch_db.statements.entries import STATEMENTS
from gensearch_db.statements.help import help_text, keywords, page, registered
from gensearch_db.statements.script import OPENINGS, parse_statement

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"


def test_the_page_is_made_from_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m gensearch_db.statements.help > docs/sql.md"


def test_the_tables_and_the_parser_know_the_same_words() -> None:
    assert {entry.words for entry in CLAUSE_HELP} == set(CLAUSES)
    assert {entry.words for entry in OPTION_HELP} == set(OPTIONS)
    assert {entry.words for entry in STATEMENTS} - {"ANONYMIZE … USING RELEASE"} == set(OPENINGS)


@pytest.mark.parametrize("entry", STATEMENTS, ids=lambda entry: entry.words)
def test_every_example_of_a_statement_is_read(entry) -> None:  # type: ignore[no-untyped-def]
    parse_statement(entry.example)


@pytest.mark.parametrize("entry", CLAUSE_HELP, ids=lambda entry: entry.words)
def test_every_example_of_a_clause_is_read(entry) -> None:  # type: ignore[no-untyped-def]
    roles = {"QUASI IDENTIFIERS": "QUASI IDENTIFIERS (sex)", "SENSITIVE": "SENSITIVE (income)"}
    besides = " ".join(clause for words, clause in roles.items() if words != entry.words)
    parse_statement(f"ANONYMIZE TABLE t INTO r {besides} {entry.example}")


@pytest.mark.parametrize("entry", OPTION_HELP, ids=lambda entry: entry.example)
def test_every_example_of_an_option_is_read(entry) -> None:  # type: ignore[no-untyped-def]
    parse_statement(f"ANONYMIZE TABLE t INTO r QUASI IDENTIFIERS ({entry.example})")


def test_help_on_topics() -> None:
    assert all(entry.words in help_text() for entry in STATEMENTS)
    assert "STOP AFTER INTERVAL n unit" in help_text("anonymize")
    assert "SPLIT EVERY n" in help_text("quasi  identifiers;")
    assert "k_anonymity" in help_text("constraints")
    assert "discernibility" in help_text("costs")
    with pytest.raises(QueryError, match="did you mean"):
        help_text("anonymise")


@pytest.mark.parametrize(("topic", "other"), [("labels", "MINIMUM LENGTH"), ("minimum", "LABELS VALUES")])
def test_labels_of_values_and_least_lengths_name_each_other(topic: str, other: str) -> None:
    """Together they are refused; the help did not say so."""
    assert other in help_text(topic)
    assert "LABELS VALUES" in help_text("constraints")


def test_every_registered_name_is_described() -> None:
    assert all(meaning and meaning != name for entries in registered().values() for name, meaning in entries)
    assert {"ANONYMIZE", "QUASI", "RELAXED", "USING"} <= set(keywords())
