"""Reading ``ANONYMIZE … INTO …`` clause by clause: in any order, each at most once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gensearch_db.cost.registry import COSTS
from gensearch_db.errors import Problems
from gensearch_db.privacy.registry import constraints_from_texts
from gensearch_db.problem.columns import QuasiIdentifier, SensitiveColumn
from gensearch_db.problem.problem import Labels, Problem, StatisticsSource, Strategy
from gensearch_db.search.options import check_options
from gensearch_db.statements.attributes import read_attribute, read_sensitive
from gensearch_db.statements.clauses import columns, read_call, read_clauses, subject_to
from gensearch_db.statements.limits import read_memory_limit, read_node_limit, read_stop_after, read_stop_within, read_threads
from gensearch_db.statements.reader import Reader
from gensearch_db.statements.syntax import Anonymize, ApplyRelease
from gensearch_db.tokens import Kind, Token


def read_anonymize(reader: Reader) -> Anonymize | ApplyRelease:
    """Read what follows the word ANONYMIZE. What is wrong with single clauses, or with all of them together, is left to
    ``reader.problems``. Raises :class:`QueryError` or :class:`SpecificationError` where reading cannot go on."""
    named = reader.take("TABLE")
    if not named and not ((token := reader.current) is not None and token.is_symbol("(")):
        raise reader.expected("TABLE or a (query)", known=["TABLE"])
    if reader.ahead("INTO") and not (reader.ahead("INTO", "INTO") or reader.symbol_follows(".")):
        raise reader.expected("a table, a file as 'string' or a (query) before INTO")
    fields: dict[str, Any] = {"table": reader.source("a table, a file as 'string' or a (query)")}
    reader.require("INTO")
    fields["into"] = reader.qualified_name("the name of the release")
    found, seen = read_clauses(reader, CLAUSES)
    fields |= found
    replace = fields.pop("replace", False)
    if "release" in fields:
        return _apply_release(reader, fields, replace, seen)
    anonymize = Anonymize(fields, replace)
    if not reader.skipped:
        _check_together(anonymize, reader.problems)
    return anonymize


def _check_together(anonymize: Anonymize, problems: Problems) -> None:
    """Remember what is wrong with the clauses as a whole; columns that are still to come from comments raise no complaint."""
    columns = {} if anonymize.names_roles else {"quasi_identifiers": {"": QuasiIdentifier()}}
    problem = problems.result_of(lambda: Problem.from_fields({"quasi_identifiers": {}, **anonymize.fields, **columns}))
    if problem is None:
        return
    problems.result_of(problem.check_roles)
    problems.result_of(lambda: check_options(problem))
    if anonymize.names_roles:
        problems.result_of(lambda: constraints_from_texts(problem.subject_to, tuple(problem.sensitive)))


def _apply_release(reader: Reader, fields: dict[str, Any], replace: bool, seen: dict[str, Token]) -> ApplyRelease:
    for words, token in seen.items():
        if words not in ("USING", "REPLACE"):
            complaint = f"{words} does not go with USING RELEASE: the release says all of that itself"
            reader.problems.absorb(reader.error(token, complaint))
    return ApplyRelease(fields["table"], fields["into"], fields["release"], replace)


def _person(reader: Reader) -> dict[str, Any]:
    reader.require_symbol("(")
    name = reader.name("the column that names the person")
    reader.require_symbol(")")
    return {"person": name}


def _quasi_identifiers(reader: Reader) -> dict[str, Any]:
    found: dict[str, QuasiIdentifier] = {}

    def item() -> None:
        """Read one attribute; remember a name that was read before as a problem."""
        token = reader.current
        name, attribute = read_attribute(reader)
        if name.casefold() in {known.casefold() for known in found}:
            assert token is not None
            reader.problems.absorb(reader.error(token, f"column '{name}' is named twice as quasi-identifier"))
        else:
            found[name] = attribute

    reader.list_of_columns(item)
    return {"quasi_identifiers": found}


def _sensitive(reader: Reader) -> dict[str, Any]:
    found: dict[str, SensitiveColumn] = {}

    def item() -> None:
        """Read one column; remember a name that was read before as a problem."""
        token = reader.current
        name, column = read_sensitive(reader)
        if name.casefold() in {known.casefold() for known in found}:
            assert token is not None
            reader.problems.absorb(reader.error(token, f"column '{name}' is named twice as sensitive"))
        else:
            found[name] = column

    reader.list_of_columns(item)
    return {"sensitive": found}


def _minimize(reader: Reader) -> dict[str, Any]:
    first = reader.position
    readable = True
    while True:
        token = reader.current
        if token is not None and token.kind is Kind.NUMBER:
            reader.number()
            reader.require_symbol("*")
        readable &= read_call(reader, "a cost, as in discernibility", COSTS) is not None
        if not reader.take_symbol("+"):
            return {"minimize": reader.text_since(first)} if readable else {}


def _suppress(reader: Reader) -> dict[str, Any]:
    token = reader.current
    share = reader.number("a percentage")
    if not 0 <= share <= 100:
        assert token is not None
        raise reader.error(token, "a percentage lies between 0 and 100")
    if not reader.take_symbol("%"):
        reader.require("PERCENT")
    return {"suppress_at_most": float(share)}


def _using(reader: Reader) -> dict[str, Any]:
    if reader.take("RELEASE"):
        return {"release": reader.qualified_name("the name of a release")}
    strategies = [strategy.value for strategy in Strategy]
    strategy = _one_of(reader, strategies, "a strategy")
    options: dict[str, Any] = {}

    def option() -> None:
        """Read one option and its value; refuse one that was read before."""
        token = reader.current
        name = reader.name("an option").lower()
        if name in options:
            assert token is not None
            raise reader.error(token, f"option '{name}' is given twice")
        reader.require_symbol("=")
        options[name] = _option_value(reader)

    if (token := reader.current) is not None and token.is_symbol("("):
        reader.list_of(option)
    return {"strategy": strategy, "options": options}


def _option_value(reader: Reader) -> str | int | float | bool:
    token = reader.current
    if token is not None and token.kind is Kind.STRING:
        return reader.string()
    if token is not None and (token.kind is Kind.NUMBER or token.is_symbol("-")):
        return reader.plain_number()
    word = reader.name("a value")
    return {"true": True, "false": False}.get(word.lower(), word)


def _one_of(reader: Reader, words: list[str], wanted: str) -> str:
    token = reader.current
    if token is None or token.kind is not Kind.WORD or token.text.lower() not in words:
        raise reader.expected(f"{wanted} ({', '.join(words)})", known=words)
    reader.position += 1
    return token.text.lower()


def _labels(reader: Reader) -> dict[str, Any]:
    return {"labels": _one_of(reader, [labels.value for labels in Labels], "what labels stand for")}


def _statistics(reader: Reader) -> dict[str, Any]:
    return {"statistics": _one_of(reader, [source.value for source in StatisticsSource], "a source of statistics")}


CLAUSES: dict[str, Callable[[Reader], dict[str, Any]]] = {
    "REPLACE": lambda reader: {"replace": True},
    "IDENTIFIERS": columns("identifiers"),
    "PERSON": _person,
    "QUASI IDENTIFIERS": _quasi_identifiers,
    "SENSITIVE": _sensitive,
    "KEEP": columns("keep"),
    "SUBJECT TO": subject_to,
    "SUPPRESS AT MOST": _suppress,
    "MINIMIZE": _minimize,
    "USING": _using,
    "STOP AFTER": read_stop_after,
    "STOP WITHIN": read_stop_within,
    "NODE LIMIT": read_node_limit,
    "MEMORY LIMIT": read_memory_limit,
    "THREADS": read_threads,
    "LABELS": _labels,
    "WITH TYPED COLUMNS": lambda reader: {"typed_columns": True},
    "STATISTICS": _statistics,
}
"""Every clause by its keywords; each reads what follows and gives fields of a :class:`Problem`."""
