"""The problem: what to anonymize, what to protect, what to minimize, when to stop. Frozen, validated, serialisable.

One :class:`Problem` stands behind SQL statements, TOML files, the command line and the Python call. It holds what the user
wrote, before any look at the database: names are checked against the table later (``database/source.py``), and attributes
are resolved to leaf values there. Written to the catalog as JSON, it reproduces its release exactly.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from gensearch_db.argument_kinds import PATH, TEXT, Kind, refuse_other_kinds
from gensearch_db.errors import Problems, SpecificationError, reason
from gensearch_db.problem.columns import Fields, QuasiIdentifier, SensitiveColumn
from gensearch_db.problem.durations import seconds
from gensearch_db.problem.files import beside
from gensearch_db.problem.sensitive import by_name
from gensearch_db.problem.wrong_fields import in_our_words


class Strategy(StrEnum):
    """How to search. Append-only."""

    BLOCK_GRAPH = "block_graph"
    ENUMERATION = "enumeration"
    MONDRIAN = "mondrian"
    MONDRIAN_STEEPEST = "mondrian_steepest"


class Labels(StrEnum):
    """What a published label stands for: the block's region, or the values that occur in the block."""

    REGION = "region"
    VALUES = "values"


class StatisticsSource(StrEnum):
    """Where block statistics come from: grouped SQL, the compiled kernel, or whichever suits the strategy."""

    AUTO = "auto"
    SQL = "sql"
    MEMORY = "memory"


class Problem(Fields):
    """A request to anonymize one table.

    ``table``: a table or view (``t``, ``schema.t``, ``database.schema.t``, parts quoted where needed), a path of a Parquet
    or CSV file, or a query in parentheses. ``into``: the release, same naming. ``subject_to``: constraints as written, e.g.
    ``"k_anonymity(10)"``. ``sensitive``: names, or a mapping of names to what is declared of their values. ``minimize``: a
    cost or a weighted sum. ``suppress_at_most``: percent of the rows. ``stop_after``: seconds or text
    like ``"1 minute"``. ``stop_within``: accept cost <= factor * lower bound. ``memory_limit``: megabytes for the search's
    memory. ``options``: further options of the strategy, by name. Raises one :class:`SpecificationError` for all that is wrong.
    """

    groups: ClassVar = {"quasi_identifiers": QuasiIdentifier, "sensitive": SensitiveColumn}

    table: str
    into: str
    identifiers: tuple[str, ...] = ()
    person: str | None = None
    quasi_identifiers: dict[str, QuasiIdentifier]
    sensitive: dict[str, SensitiveColumn] = Field(default_factory=dict)
    keep: tuple[str, ...] = ()
    subject_to: tuple[str, ...] = ()
    minimize: str = "ncp"
    suppress_at_most: float = Field(default=0.0, ge=0, le=100)
    strategy: Strategy = Strategy.BLOCK_GRAPH
    stop_after: float = Field(default=60.0, gt=0)
    stop_within: float = Field(default=1.0, ge=1)
    node_limit: int | None = Field(default=None, ge=1)
    memory_limit: int | None = Field(default=None, ge=1)
    threads: int | None = Field(default=None, ge=1)
    typed_columns: bool = False
    labels: Labels = Labels.REGION
    statistics: StatisticsSource = StatisticsSource.AUTO
    options: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @field_validator("sensitive", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return by_name(value)

    @field_validator("stop_after", mode="before")
    @classmethod
    def _duration(cls, value: Any) -> Any:
        return seconds(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _statistics_fit(self) -> Self:
        if self.statistics is StatisticsSource.SQL and self.strategy is not Strategy.ENUMERATION:
            raise ValueError(
                f"statistics = sql goes with strategy = enumeration, not with {self.strategy.value}: block_graph, mondrian and"
                " mondrian_steepest count in compiled code (statistics = auto or memory)"
            )
        return self

    def check_roles(self) -> None:
        """Raise :class:`SpecificationError` for each column that is named twice, and where no quasi-identifier is named.

        Not a part of the validation: it is called together with the checks against the database, whose findings are reported
        in the same message.
        """
        problems = Problems(SpecificationError)
        roles: dict[str, str] = {}
        lists = [
            ("identifier", self.identifiers),
            ("person", (self.person,) if self.person else ()),
            ("quasi-identifier", tuple(self.quasi_identifiers)),
            ("sensitive", tuple(self.sensitive)),
            ("keep", self.keep),
        ]
        for role, names in lists:
            for name in names:
                before = roles.setdefault(name.casefold(), role)
                if before is not role:
                    problems.add(f"column '{name}' is named both as {before} and as {role}")
                elif [n.casefold() for n in names].count(name.casefold()) > 1:
                    problems.add(f"column '{name}' is named twice as {role}")
        if not self.quasi_identifiers:
            problems.add("no quasi-identifier is named: name at least one column that others could link to a person")
        problems.raise_if_any()

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Problem:
        """Build from plain fields, reporting all that is wrong with them in one :class:`SpecificationError`."""
        refuse_other_kinds(fields=(fields, Kind("a group of named values", _has_names)))
        return cls(**fields)

    @classmethod
    def from_toml(cls, path: str | Path) -> Problem:
        """Read a problem file. Paths of taxonomy, source and workload files in it are relative to the file's own folder."""
        return cls.from_fields(cls.fields_from_toml(path))

    @staticmethod
    def fields_from_toml(path: str | Path) -> dict[str, Any]:
        """The fields as a problem file gives them, not validated yet: others may be laid over them (command line flags)."""
        refuse_other_kinds(path=(path, PATH))
        path = Path(path)
        try:
            fields = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise SpecificationError(f"problem file '{path}' does not exist") from error
        except (ValueError, OSError) as error:  # not TOML, not UTF-8, a NUL in the name; not readable
            raise SpecificationError(f"problem file '{path}' cannot be read: {reason(error)}") from error
        return beside(fields, path.parent)

    def to_json(self) -> str:
        """The problem as one JSON object; ``Problem.from_json`` reads it back unchanged."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> Problem:
        """Read what :meth:`to_json` wrote. Raises :class:`SpecificationError` for anything else."""
        refuse_other_kinds(text=(text, TEXT))
        with in_our_words(cls):
            return cls.model_validate_json(text)


def _has_names(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
