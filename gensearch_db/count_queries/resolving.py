"""From a query as read to formulas over published columns: names are looked up, constants are evaluated by DuckDB itself.

What a bound means for a column is asked of the engine, never computed here: ``c BETWEEN 3.1 AND 5`` on whole numbers, text
against dates, a decimal against a FLOAT column. For an ordered column it is enough to know the value nearest to the bound
and whether the comparison holds at it. All constants of a workload are evaluated by a few statements together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from gensearch_db.count_queries.evaluation import CheckRequest, ConstantRequest, CutRequest, Evaluation, Request, TruthRequest
from gensearch_db.count_queries.formula import (
    Atom,
    Check,
    Cut,
    Formula,
    Holds,
    Known,
    MissingValue,
    Points,
    Test,
    all_of,
    any_of,
    negation,
)
from gensearch_db.count_queries.model import (
    Bare,
    Both,
    ColumnName,
    Comparison,
    Constant,
    CountQuery,
    Either,
    Fixed,
    Is,
    Matches,
    Missing,
    OneOf,
    Opposite,
    Place,
    Predicate,
    conjunction,
)
from gensearch_db.count_queries.release import Kind, PublishedColumn, Release
from gensearch_db.database.rendering import Sql, statement
from gensearch_db.database.session import Session
from gensearch_db.errors import Problems, QueryError
from gensearch_db.tokens import error_at


@dataclass(frozen=True)
class ResolvedCount:
    """One count of a query: the rows that satisfy ``formula``."""

    label: str
    formula: Formula


@dataclass(frozen=True)
class ResolvedQuery:
    """A query whose names and constants are known. ``presence`` is its WHERE alone: which groups the answer has."""

    query: CountQuery
    counts: tuple[ResolvedCount, ...]
    presence: Formula
    groups: tuple[PublishedColumn, ...]


def resolve(release: Release, queries: Sequence[CountQuery]) -> tuple[ResolvedQuery, ...]:
    """Look up names and evaluate constants.

    Raises :class:`QueryError` with line and column; what is wrong with the columns of a query is reported together.
    """
    resolver = _Resolver(release, queries)
    return tuple(resolver.query(query) for query in queries)


class _Resolver:
    def __init__(self, release: Release, queries: Sequence[CountQuery]) -> None:
        self.release = release
        requests: dict[Request, tuple[CountQuery, Place]] = {}
        for query in queries:
            self.refuse_volatile(query)
            problems = Problems(QueryError)
            for predicate in _predicates(query):
                ask: Callable[[], list[tuple[Request, Place]]] = partial(list, self.requests(query, predicate))
                for request, place in problems.result_of(ask) or ():
                    requests.setdefault(request, (query, place))
            for group in query.groups:
                problems.result_of(partial(self.column, query, group))
            problems.raise_if_any()
        with Session(release.session.connection.cursor(), owns_connection=True) as session:
            self.answers = Evaluation(session, requests).answers()

    def query(self, query: CountQuery) -> ResolvedQuery:
        """The query with its names and constants resolved against the release."""
        counts = tuple(
            ResolvedCount(count.label, self.true(query, conjunction(query.where, count.condition))) for count in query.counts
        )
        groups = tuple(self.column(query, group) for group in query.groups)
        return ResolvedQuery(query, counts, self.true(query, query.where), groups)

    def column(self, query: CountQuery, name: ColumnName) -> PublishedColumn:
        """The published column of a name. Raises :class:`QueryError` where the release has none."""
        found = self.release.find(name.name)
        if isinstance(found, str):
            raise error_at(query.script, name.place.start, name.place.end, found)
        return found

    @cached_property
    def volatile(self) -> frozenset[str]:
        """The functions that may answer differently each time."""
        return frozenset(name for (name,) in self.release.session.rows(statement("estimate/volatile_functions")))

    def refuse_volatile(self, query: CountQuery) -> None:
        """Raise :class:`QueryError` where a constant calls such a function."""
        for predicate in _predicates(query):
            for constant in _constants(predicate):
                if constant.literal:
                    continue
                for match in re.finditer(r"([A-Za-z_][A-Za-z_0-9]*)\s*\(", constant.text):
                    if match.group(1).lower() in self.volatile:
                        message = f"{match.group(1)}(…) gives another value at each call, so the query has no one answer"
                        raise error_at(query.script, constant.place.start, constant.place.end, message)

    def requests(self, query: CountQuery, predicate: Predicate) -> Iterator[tuple[Request, Place]]:
        """What has to be asked of the engine about one predicate on one column."""
        if isinstance(predicate, Fixed):
            yield TruthRequest(predicate.constant.text), predicate.constant.place
        elif isinstance(predicate, Comparison | OneOf | Matches):
            column = self.column(query, predicate.column)
            if column.kind is Kind.ORDERED and isinstance(predicate, Matches):
                where = predicate.column.place
                message = f"LIKE compares text, but column '{column.name}' is published as intervals of {column.type}"
                raise error_at(query.script, where.start, where.end, message)
            if column.kind is Kind.ORDERED:
                assert not isinstance(predicate, Matches)
                for constant in _constants(predicate):
                    yield _cut_request(column, predicate, constant), constant.place
            else:
                for constant in _constants(predicate):
                    if not constant.literal:
                        yield ConstantRequest(constant.text), constant.place
                yield _check_request(column, predicate), next(_constants(predicate)).place
        elif isinstance(predicate, Missing):
            self.column(query, predicate.column)
        elif isinstance(predicate, Bare):
            column = self.column(query, predicate.column)
            if column.type != "BOOLEAN":
                where = predicate.column.place
                message = f"column '{column.name}' is {column.type}, not a condition: compare it with a value"
                raise error_at(query.script, where.start, where.end, message)

    def true(self, query: CountQuery, predicate: Predicate | None) -> Formula:
        """The formula that holds where the predicate is true."""
        return True if predicate is None else self.formulas(query, predicate)[0]

    def formulas(self, query: CountQuery, predicate: Predicate) -> tuple[Formula, Formula]:
        """Where the predicate is true, and where it is false; neither where it is unknown."""
        if isinstance(predicate, Both | Either):
            pairs = [self.formulas(query, part) for part in predicate.parts]
            true_parts, false_parts = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            if isinstance(predicate, Both):
                return all_of(true_parts), any_of(false_parts)
            return any_of(true_parts), all_of(false_parts)
        if isinstance(predicate, Opposite):
            true, false = self.formulas(query, predicate.part)
            return false, true
        if isinstance(predicate, Is):
            true, false = self.formulas(query, predicate.part)
            wanted = true if predicate.value else false
            if predicate.value is None:
                wanted = all_of([negation(true), negation(false)])
            return wanted, negation(wanted)
        if isinstance(predicate, Fixed):
            truth = self.answers[TruthRequest(predicate.constant.text)]
            return truth is True, truth is False
        return self.tests(query, predicate)

    def tests(self, query: CountQuery, predicate: Comparison | OneOf | Matches | Missing | Bare) -> tuple[Formula, Formula]:
        """The formulas under which a predicate is true, and false."""
        column = self.column(query, predicate.column)

        def pair(atom: Atom) -> tuple[Formula, Formula]:
            """The formulas under which an atom holds, and does not."""
            return Test(column.number, Holds(atom, True)), Test(column.number, Holds(atom, False))

        if isinstance(predicate, Missing):
            return pair(MissingValue())
        if isinstance(predicate, Bare):
            return pair(Check(Sql("value")))
        if column.kind is not Kind.ORDERED:
            assert not isinstance(predicate, Missing | Bare)
            return pair(self.check(column, predicate))
        assert isinstance(predicate, Comparison | OneOf)
        answers = [self.answers[_cut_request(column, predicate, constant)] for constant in _constants(predicate)]
        if isinstance(predicate, OneOf):
            points = frozenset(answer.position for answer in answers if isinstance(answer, Cut) and answer.at)
            true, false = pair(Points(points))
            return true, (False if None in answers else false)
        (answer,) = answers
        if isinstance(answer, Cut):
            return pair(answer)
        if answer is None:
            return False, False
        true, false = pair(Known())
        return (true, false) if answer else (false, true)

    def check(self, column: PublishedColumn, predicate: Comparison | OneOf | Matches) -> Check:
        """What a predicate asks of each value of its column."""
        request = _check_request(column, predicate)
        texts = [
            constant.text if constant.literal else self.answers[ConstantRequest(constant.text)]
            for constant in _constants(predicate)
        ]
        condition = request.pattern.format(*texts)
        holds_null = isinstance(predicate, OneOf) and any(text.upper() == "NULL" for text in texts)
        return Check(Sql(f"({condition}) OR NULL" if holds_null else condition))  # what is not found is then unknown


def _cut_request(column: PublishedColumn, predicate: Comparison | OneOf, constant: Constant) -> CutRequest:
    operator = predicate.operator if isinstance(predicate, Comparison) else "="
    beside: tuple[str, ...] = ()
    if column.type == "FLOAT" and isinstance(predicate, OneOf):
        beside = tuple(one.text for one in predicate.constants)
    elif column.type == "FLOAT" and isinstance(predicate, Comparison) and predicate.beside is not None:
        beside = (predicate.beside.text,)
    return CutRequest(column, operator, constant.text, beside)


def _check_request(column: PublishedColumn, predicate: Comparison | OneOf | Matches) -> CheckRequest:
    texts = tuple(constant.text for constant in _constants(predicate))
    if isinstance(predicate, Comparison):
        pattern = f"value {predicate.operator} {{0}}"
    elif isinstance(predicate, OneOf):
        # IN would be planned as a join, one for each list: thousands of them take minutes
        members = ", ".join(f"{{{number}}}" for number in range(len(texts)))
        pattern = f"CASE WHEN value IS NOT NULL THEN list_position([{members}], value) IS NOT NULL END"
    else:
        pattern = f"value {predicate.operator} {{0}}" + (" ESCAPE {1}" if predicate.escape is not None else "")
    in_order = isinstance(predicate, Comparison) and predicate.operator in ("<", "<=", ">", ">=")
    return CheckRequest(column, texts, pattern, in_order)


def _predicates(query: CountQuery) -> Iterator[Predicate]:
    """The predicates on single columns, and the fixed conditions, as they stand in the query."""
    pending = [query.where, *(count.condition for count in reversed(query.counts))]
    while pending:
        predicate = pending.pop()
        if isinstance(predicate, Both | Either):
            pending.extend(reversed(predicate.parts))
        elif isinstance(predicate, Opposite | Is):
            pending.append(predicate.part)
        elif predicate is not None:
            yield predicate


def _constants(predicate: Predicate) -> Iterator[Constant]:
    if isinstance(predicate, Fixed | Comparison):
        yield predicate.constant
    elif isinstance(predicate, OneOf):
        yield from predicate.constants
    elif isinstance(predicate, Matches):
        yield predicate.pattern
        if predicate.escape is not None:
            yield predicate.escape
