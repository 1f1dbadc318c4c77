"""Asking DuckDB what the constants of a workload mean: in batches, and one by one where a batch fails.

An error then points at the very constant. A connection of its own is used, so that a bad constant never aborts a transaction
of the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gensearch_db.count_queries.expressions import finite, position_of, sample_of, typed_literal
from gensearch_db.count_queries.formula import Cut
from gensearch_db.count_queries.model import CountQuery, Place
from gensearch_db.count_queries.release import PublishedColumn
from gensearch_db.database.rendering import Sql, literal, statement, type_name
from gensearch_db.database.session import Session
from gensearch_db.errors import DataError, SpecificationError
from gensearch_db.tokens import error_at

_BATCH = 200
_NO_ORDER = "the order of an ENUM is not that of its text, which the release holds: list the values that you mean (IN)"


@dataclass(frozen=True)
class CutRequest:
    """Where ``column operator text`` cuts the line of an ordered column: answered by a Cut, a truth value or None."""

    column: PublishedColumn
    operator: str
    text: str
    beside: tuple[str, ...] = ()
    """Other constants that DuckDB brings to one type with this one, where that matters: FLOAT against DOUBLE."""


@dataclass(frozen=True)
class CheckRequest:
    """Whether a condition on a listed column can be evaluated at all: answered by an error or nothing."""

    column: PublishedColumn
    texts: tuple[str, ...]
    pattern: str
    """The condition with ``{0}``, ``{1}``, … for the constants."""
    in_order: bool = False
    """Whether less and greater are asked for: an ENUM's order is not that of its text, which is what a release holds."""


@dataclass(frozen=True)
class ConstantRequest:
    """A constant that is more than a literal: answered by a literal of the same value and type."""

    text: str


@dataclass(frozen=True)
class TruthRequest:
    """A condition without columns: answered by True, False or None."""

    text: str


Request = CutRequest | CheckRequest | ConstantRequest | TruthRequest


class Evaluation:
    """Asks DuckDB all requests, in batches; where a batch fails, one by one to find out which is wrong."""

    def __init__(self, session: Session, requests: dict[Request, tuple[CountQuery, Place]]) -> None:
        self.session = session
        self.requests = requests

    def answers(self) -> dict[Request, Any]:
        """The answer to each request. Raises :class:`QueryError` at the constant that is wrong."""
        answers: dict[Request, Any] = {}
        for kind, ask in ((TruthRequest, self.truths), (ConstantRequest, self.constants)):
            self.in_batches([request for request in self.requests if isinstance(request, kind)], ask, answers)
        columns = {request.column for request in self.requests if isinstance(request, CutRequest | CheckRequest)}
        for column in columns:
            mine = [one for one in self.requests if isinstance(one, CutRequest) and one.column == column]
            self.in_batches(mine, self.cuts, answers)
            checks = [one for one in self.requests if isinstance(one, CheckRequest) and one.column == column]
            self.in_batches(checks, self.checks, answers)
        return answers

    def in_batches(
        self, requests: Sequence[Any], ask: Callable[[Sequence[Any]], Sequence[Any]], answers: dict[Request, Any]
    ) -> None:
        """Ask requests of one kind, a batch at a time."""
        for start in range(0, len(requests), _BATCH):
            batch = requests[start : start + _BATCH]
            try:
                found = ask(batch)
            except (DataError, SpecificationError):
                found = [self.alone(request, ask) for request in batch]
            answers.update(zip(batch, found, strict=True))

    def alone(self, request: Any, ask: Callable[[Sequence[Any]], Sequence[Any]]) -> Any:
        """Ask one request of a batch that failed."""
        try:
            return ask([request])[0]
        except (DataError, SpecificationError) as error:
            query, place = self.requests[request]
            column = getattr(request, "column", None)
            subject = f"column '{column.name}' is {column.type}: " if column is not None else ""
            raise error_at(query.script, place.start, place.end, f"{subject}{error}") from error

    def truths(self, requests: Sequence[TruthRequest]) -> Sequence[bool | None]:
        """The truth values of conditions without columns."""
        expressions = [Sql(f"CAST(({request.text}\n) AS BOOLEAN)") for request in requests]
        return self.session.row(statement("estimate/evaluate", expressions=expressions))

    def constants(self, requests: Sequence[ConstantRequest]) -> Sequence[Sql]:
        """Literals of constant expressions."""
        expressions = [
            Sql(f"{{'type': typeof({request.text}\n), 'text': CAST(({request.text}\n) AS VARCHAR)}}") for request in requests
        ]
        found = self.session.row(statement("estimate/evaluate", expressions=expressions))
        return [Sql("NULL") if one["text"] is None else typed_literal(one["text"], one["type"]) for one in found]

    def cuts(self, requests: Sequence[CutRequest]) -> Sequence[Cut | bool | None]:
        """Where comparisons with one column cut its line."""
        column = requests[0].column
        family, sample = column.family, sample_of(column.family, column.type)
        cuts = []
        for number, request in enumerate(requests):
            value = finite(family, column.type, Sql(f"nearest_{number}"))
            cuts.append(
                {
                    "number": number,
                    "constant": Sql(request.text),
                    "holds": _holds(request, Sql(f"coalesce({value}, {sample})")),
                    "nearest": Sql(f"TRY_CAST(({request.text}\n) AS {type_name(column.type)})"),
                    "value": value,
                    "position": position_of(family, value),
                }
            )
        row = self.session.row(statement("estimate/cuts", cuts=cuts))
        return [_cut(request.operator, *row[3 * number : 3 * number + 3]) for number, request in enumerate(requests)]

    def checks(self, requests: Sequence[CheckRequest]) -> Sequence[None]:
        """Nothing is wanted but the errors: types that cannot be compared, text that is no date."""
        column = requests[0].column
        conditions = [_tried(request) for request in requests]
        sample = sample_of(column.family, column.type)
        self.session.row(statement("estimate/checks", conditions=conditions, sample=sample))
        return [None] * len(requests)


def _tried(request: CheckRequest) -> Sql:
    """The condition with its constants; an error where one of them is an ENUM that is compared in its order."""
    condition = Sql(request.pattern.format(*(f"({text}\n)" for text in request.texts)))
    if not request.in_order:
        return condition
    is_enum = f"starts_with(typeof({request.texts[0]}\n), 'ENUM(')"
    return Sql(f"CASE WHEN {is_enum} THEN CAST(error({literal(_NO_ORDER)}) AS BOOLEAN) ELSE {condition} END")


def _holds(request: CutRequest, value: Sql) -> Sql:
    """Whether the comparison holds at a value; a list brings constants that stand together to their common type."""
    if not request.beside:
        return Sql(f"{value} {request.operator} ({request.text}\n)")
    members = ", ".join([value, *(f"({text}\n)" for text in (request.text, *request.beside))])
    return Sql(f"[{members}][1] {request.operator} [{members}][2]")


def _cut(operator: str, position: Any, at: bool | None, unknown: bool) -> Cut | bool | None:
    """A cut; or True or False for a bound beyond all values of the type, None where the bound is NULL."""
    if unknown or at is None:
        return None
    if position is None:
        return at
    return Cut(position, operator in ("<", "<=", "<>"), at, operator in (">", ">=", "<>"))
