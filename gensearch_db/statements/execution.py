"""Carrying out our statements: each calls the API and answers with a small Arrow table."""

from __future__ import annotations

import json
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gensearch_db.database.session import Session, TableName
from gensearch_db.search.result import Progress
from gensearch_db.statements.answer_tables import Rows, answer_table, group_column
from gensearch_db.statements.syntax import (
    Anonymize,
    ApplyRelease,
    Audit,
    DropRelease,
    Estimate,
    ExplainAnonymize,
    OwnStatement,
    Profile,
    Publish,
    ShowReleases,
)

if TYPE_CHECKING:
    import duckdb
    import pyarrow

    from gensearch_db.certificate import Release


def answer_to(engine: duckdb.DuckDBPyConnection, own: OwnStatement, progress: Progress) -> pyarrow.Table:
    """Carry out one statement on a DuckDB connection. Raises :class:`GensearchError` of the fitting class."""
    from gensearch_db.statements.caller_frames import readable_frames

    with Session(engine) as session, readable_frames(session, own):
        return _answer(own, session, progress)


@singledispatch
def _answer(own: Any, session: Session, progress: Progress) -> pyarrow.Table:
    raise TypeError(f"no statement: {own!r}")


@_answer.register(Anonymize)
def _anonymize(own: Anonymize, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.anonymization import anonymize
    from gensearch_db.statements.column_labels import labelled_problem

    release = anonymize(session, labelled_problem(session, own), replace=own.replace, progress=progress)
    return answer_table(RELEASE_COLUMNS, [_release_row(release)])


RELEASE_COLUMNS = {
    "release": "string",
    "status": "string",
    "cost": "double",
    "lower_bound": "double",
    "approximation_factor": "double",
    "gap": "double",
    "blocks": "int64",
    "rows_released": "int64",
    "rows_suppressed": "int64",
    "seconds": "double",
    "optimal_count": "int64",
    "alternatives": "string",
    "audit": "string",
    "notes": "string",
}


def _release_row(release: Release) -> dict[str, Any]:
    fields = release.to_dict()
    texts = {
        "audit": "PASSED" if release.audit.passed else "FAILED",
        "notes": "; ".join(release.notes) or None,
        "alternatives": json.dumps(fields["alternatives"], ensure_ascii=False) if release.optimal_count is not None else None,
    }
    return {name: texts.get(name, fields.get(name)) for name in RELEASE_COLUMNS}


@_answer.register(ExplainAnonymize)
def _explain(own: ExplainAnonymize, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.statements.column_labels import labelled_problem
    from gensearch_db.statements.explain import explain

    findings = explain(session, labelled_problem(session, own.anonymize), replace=own.anonymize.replace)
    rows = [{"topic": finding.topic, "subject": finding.subject, "finding": finding.text} for finding in findings]
    return answer_table({"topic": "string", "subject": "string", "finding": "string"}, rows)


@_answer.register(ApplyRelease)
def _apply(own: ApplyRelease, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.statements.apply_release import apply_release

    applied = apply_release(session, own.release, own.table, own.into, replace=own.replace)
    columns = {
        "release": "string",
        "blocks": "int64",
        "rows_released": "int64",
        "rows_outside": "int64",
        "rows_in_refused_blocks": "int64",
        "audit": "string",
    }
    return answer_table(columns, [{name: getattr(applied, name) for name in columns if name != "audit"} | {"audit": "PASSED"}])


@_answer.register(Audit)
def _audit(own: Audit, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.database.audit import audit

    report = audit(
        session,
        own.release,
        against=own.against,
        quasi_identifiers=own.quasi_identifiers,
        sensitive=own.sensitive,
        subject_to=own.subject_to,
        together_with=own.together_with,
    )
    columns = {
        "check": "string",
        "column": "string",
        "verdict": "string",
        "reached": "double",
        "required": "string",
        "violations": "int64",
        "message": "string",
    }
    rows: Rows = []
    for check in report.checks:
        required = None if check.required is None else f"{check.required}"
        rows.append(
            {
                "check": check.name,
                "column": check.column,
                "verdict": check.verdict.value,
                "reached": check.reached,
                "required": required,
                "violations": check.violations,
                "message": check.message,
            }
        )
    return answer_table(columns, rows)


@_answer.register(Estimate)
def _estimate(own: Estimate, session: Session, progress: Progress) -> pyarrow.Table:
    import pyarrow

    from gensearch_db.count_queries import estimate

    answer = estimate(session.connection, own.release, own.placed_query)
    found = answer.estimates
    columns: dict[str, Any] = {
        name: group_column([each.group[position] for each in found]) for position, name in enumerate(answer.group_columns)
    }
    columns["counted"] = pyarrow.array([each.label for each in found], pyarrow.string())
    columns["estimate"] = pyarrow.array([each.estimate for each in found], pyarrow.float64())
    columns["deviation"] = pyarrow.array([each.deviation for each in found], pyarrow.float64())
    for name in ("lower", "upper", "blocks"):
        columns[name] = pyarrow.array([getattr(each, name) for each in found], pyarrow.int64())
    return pyarrow.table(list(columns.values()), names=list(columns))


@_answer.register(Profile)
def _profile(own: Profile, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.database.prepared import drop_tables
    from gensearch_db.database.source import open_source
    from gensearch_db.database.type_names import without_entries
    from gensearch_db.statements.profile import profile, start_statement

    temporary_tables: list[TableName] = []
    try:
        profiles = profile(session, open_source(session, own.table, temporary_tables))
    finally:
        drop_tables(session, temporary_tables)
    columns = {
        "column": "string",
        "type": "string",
        "distinct_values": "int64",
        "nulls": "int64",
        "unique_share": "double",
        "separates_alone": "double",
        "unique_with_others": "double",
        "unique_without": "double",
        "verdict": "string",
        "reason": "string",
    }
    rows: Rows = [
        {
            "column": each.measures.column.name,
            "type": without_entries(each.measures.column.type),
            "distinct_values": each.measures.distinct,
            "nulls": each.measures.nulls,
            "unique_share": each.measures.unique_share,
            "separates_alone": each.measures.separated_pairs,
            "unique_with_others": each.unique_with_others,
            "unique_without": each.unique_without,
            "verdict": each.verdict.value,
            "reason": each.reason,
        }
        for each in profiles
    ]
    ready = start_statement(profiles, own.table, _release_name(own.table))
    if ready is not None:
        rows.append({"verdict": "a statement to start from", "reason": ready})
    return answer_table(columns, rows)


def _release_name(table: str) -> str:
    """A name for the release that a profile proposes."""
    from gensearch_db.database.names import written_name
    from gensearch_db.problem.files import is_file

    if table.startswith("("):
        return "release_of_query"
    stem = Path(table).name.split(".")[0] if is_file(table) else table.rsplit(".", 1)[-1].strip('"')
    return written_name(f"{stem}_release")


@_answer.register(ShowReleases)
def _show_releases(own: ShowReleases, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.database.catalog import list_releases

    columns = {
        "schema": "string",
        "release": "string",
        "source": "string",
        "subject_to": "string",
        "minimize": "string",
        "status": "string",
        "cost": "double",
        "lower_bound": "double",
        "blocks": "int64",
        "rows_released": "int64",
        "rows_suppressed": "int64",
        "created": "string",
    }
    rows: Rows = []
    for entry in list_releases(session):
        result = entry.result
        rows.append(
            {
                "schema": entry.release_schema,
                "release": entry.release,
                "source": entry.problem.table,
                "subject_to": " AND ".join(entry.problem.subject_to),
                "minimize": entry.problem.minimize,
                "created": entry.created,
                **{
                    name: result.get(name)
                    for name in ("status", "cost", "lower_bound", "blocks", "rows_released", "rows_suppressed")
                },
            }
        )
    return answer_table(columns, rows)


@_answer.register(DropRelease)
def _drop_release(own: DropRelease, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.database.catalog import drop_release, find_release
    from gensearch_db.database.places import place

    absent = own.if_exists and find_release(session, place(session, own.release)) is None
    if not absent:
        drop_release(session, own.release)
    return answer_table({"release": "string", "dropped": "bool_"}, [{"release": own.release, "dropped": not absent}])


@_answer.register(Publish)
def _publish(own: Publish, session: Session, progress: Progress) -> pyarrow.Table:
    from gensearch_db.statements.publish import publish

    columns = {"release": "string", "table": "string", "file": "string", "rows": "int64", "note": "string"}
    rows = [
        {name: getattr(each, name) for name in columns}
        for each in publish(session, own.releases, own.target, replace=own.replace)
    ]
    return answer_table(columns, rows)
