"""The problem: what to anonymize, what to protect, what to minimize, when to stop. Frozen, validated, serialisable.

One :class:`Problem` stands behind SQL statements, TOML files, the command line and the Python call. It holds what the user
wrote, before any look at the database: names are checked against the table later (``database/source.py``), and attributes
are resolved to leaf values there. Written to the catalog as JSON, it reproduces its release exactly.
"""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from gensearch_db.errors import Problems, SpecificationError
from gensearch_db.problem.sensitive import by_name
from gensearch_db.problem.wrong_fields import complaints


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


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _no_number(cls, value: Any, info: ValidationInfo) -> Any:
        """True and false are no numbers, though Python counts them as 1 and 0."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation in (float, int, int | None):
            raise ValueError(f"must be a number, not {str(value).lower()}")
        return value


def _plain(value: Any) -> str | int | float:
    """A bound of a domain: a text or number as it is, a date as its text."""
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else _as_text(value)


def _as_text(value: Any) -> str:
    """A value as DuckDB prints it; anything but a text, number, boolean, date or timestamp is refused."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat(*([" "] if isinstance(value, datetime) else []))
    if isinstance(value, str | int | float | Decimal):
        return str(value)
    raise ValueError(f"{value!r} is not a text, number, boolean or date")


_ORDER = "must be a list of values, from the first to the last, or true for the column's own order"
_DOMAIN = "must be the lowest and the highest value: [0, 120]"


class QuasiIdentifier(_Model):
    """How one quasi-identifier may be generalized. With no field set, the kind follows from the column's type.

    ``split``: ``"every 5"``, ``"every month"``, ``"at 22, 26, 31"``, ``"16 quantiles"``, ``"anywhere"``.
    ``order``: a list of values, or True for the column's own order. ``taxonomy``: a table's name or a CSV file;
    ``relaxed`` lets any subset of a node's children split from the rest. ``prefix``: postcodes and other codes whose
    prefixes are regions. ``unordered``: any set of values. ``domain``: the declared bounds, published as they are.
    ``weight``: share in NCP. ``minimum_length``: shortest published edge. ``timezone``: for TIMESTAMPTZ.
    """

    split: str | None = None
    order: tuple[str, ...] | bool | None = None
    taxonomy: str | None = None
    relaxed: bool = False
    prefix: bool = False
    unordered: bool = False
    domain: tuple[str | int | float, str | int | float] | None = None
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    minimum_length: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    timezone: str | None = None

    @field_validator("domain", "order", mode="before")
    @classmethod
    def _values_as_text(cls, value: Any, info: ValidationInfo) -> Any:
        """TOML, JSON and Python write numbers, booleans and dates without quotes; DuckDB reads them from text."""
        if info.field_name == "order" and isinstance(value, bool):
            return value
        if value is not None and not isinstance(value, list | tuple):
            raise ValueError(_ORDER if info.field_name == "order" else _DOMAIN)
        texts = tuple(_plain(each) if info.field_name == "domain" else _as_text(each) for each in value or ())
        if info.field_name == "domain" and value is not None and len(texts) != 2:
            raise ValueError(_DOMAIN)
        return texts if value is not None else None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        chosen = [
            word
            for word, given in (
                ("split", self.split is not None),
                ("order", self.order not in (None, False)),
                ("taxonomy", self.taxonomy is not None),
                ("prefix", self.prefix),
                ("unordered", self.unordered),
            )
            if given
        ]
        if len(chosen) > 1 and set(chosen) != {"split", "order"}:
            raise ValueError(f"only one of split, order, taxonomy, prefix, unordered may be given, not {' and '.join(chosen)}")
        if self.relaxed and self.taxonomy is None and not self.prefix:
            raise ValueError("relaxed goes with a taxonomy or a prefix")
        return self


class SensitiveColumn(_Model):
    """What is declared of a sensitive column's values: t-closeness measures along an order or over a taxonomy. Mostly nothing.

    ``order``: a list of all its values, or True where the column's own order means something (ENUM, text that sorts).
    ``taxonomy``: a table's name, or a CSV or JSON file. Values that do not occur are values of the domain all the same.
    """

    order: tuple[str, ...] | bool | None = None
    taxonomy: str | None = None

    @field_validator("order", mode="before")
    @classmethod
    def _values_as_text(cls, value: Any) -> Any:
        if value is not None and not isinstance(value, bool | list | tuple):
            raise ValueError(_ORDER)
        return tuple(_as_text(each) for each in value) if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.taxonomy is not None and self.order not in (None, False):
            raise ValueError("only one of order, taxonomy may be given, not order and taxonomy")
        if isinstance(self.order, tuple):
            repeated = sorted({value for value in self.order if self.order.count(value) > 1})
            if repeated:
                raise ValueError(f"the order names {', '.join(map(repr, repeated))} twice")
            if not self.order:
                raise ValueError("the order names no value: write all values from the first to the last, or order = true")
        return self


class Problem(_Model):
    """A request to anonymize one table.

    ``table``: a table or view (``t``, ``schema.t``, ``database.schema.t``, parts quoted where needed), a path of a Parquet
    or CSV file, or a query in parentheses. ``into``: the release, same naming. ``subject_to``: constraints as written, e.g.
    ``"k_anonymity(10)"``. ``sensitive``: names, or a mapping of names to what is declared of their values. ``minimize``: a
    cost or a weighted sum. ``suppress_at_most``: percent of the rows. ``stop_after``: seconds or text
    like ``"1 minute"``. ``stop_within``: accept cost <= factor * lower bound. ``memory_limit``: megabytes for the search's
    memory. ``options``: further options of the strategy, by name.
    """

    table: str
    into: str
    identifiers: tuple[str, ...] = ()
    person: str | None = None
    quasi_identifiers: dict[str, QuasiIdentifier]
    sensitive: dict[str, SensitiveColumn] = Field(default_factory=dict)
    keep: tuple[str, ...] = ()
    subject_to: tuple[str, ...] = ()
    minimize: str = "ncp"
    suppress_at_most: float = Field(default=0.0, ge=0, le=100, allow_inf_nan=False)
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
        try:
            return cls(**fields)
        except ValidationError as error:
            problems = Problems(SpecificationError)
            for complaint in complaints(error, _MODELS):
                problems.add(complaint)
            problems.raise_if_any()
            raise

    @classmethod
    def from_toml(cls, path: str | Path) -> Problem:
        """Read a problem file. Paths of taxonomy, source and workload files in it are relative to the file's own folder."""
        return cls.from_fields(cls.fields_from_toml(path))

    @staticmethod
    def fields_from_toml(path: str | Path) -> dict[str, Any]:
        """The fields as a problem file gives them, not validated yet: others may be laid over them (command line flags)."""
        path = Path(path)
        try:
            fields = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise SpecificationError(f"problem file '{path}' does not exist") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise SpecificationError(f"problem file '{path}' cannot be read: {error}") from error
        return _beside(fields, path.parent)

    def to_json(self) -> str:
        """The problem as one JSON object; ``Problem.from_json`` reads it back unchanged."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> Problem:
        """Read what :meth:`to_json` wrote."""
        return cls.model_validate_json(text)


_MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): Problem,
    ("quasi_identifiers",): QuasiIdentifier,
    ("sensitive",): SensitiveColumn,
}
"""Whose fields may be written where in a problem."""

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "millisecond": 0.001}


def seconds(text: str) -> float:
    """Seconds of ``"90"``, ``"1 minute"``, ``"1 hour 30 minutes"``, ``"250 milliseconds"``. Raises :class:`ValueError`."""
    parts = re.findall(r"([0-9.]+)\s*([a-z]*)", text.strip().lower())
    if not parts or re.sub(r"[0-9.]+\s*[a-z]*|\s|,|\band\b", "", text.strip().lower()):
        raise ValueError(f"{text!r} is not a duration; write for example '90 seconds' or '1 minute'")
    total = 0.0
    for number, unit in parts:
        singular = unit.removesuffix("s") or "second"
        if singular not in _UNITS:
            raise ValueError(f"{unit!r} is not a unit of time; use {', '.join(_UNITS)}")
        if number.count(".") > 1 or number == ".":
            raise ValueError(f"{number!r} is not a number; write for example '90 seconds' or '1.5 minutes'")
        total += float(number) * _UNITS[singular]
    return total


_FILE = re.compile(r"\.(csv|tsv|txt|parquet)(\.gz|\.zst)?$", re.IGNORECASE)


def is_file(source: str) -> bool:
    """Whether a source names a Parquet or CSV file rather than a table or a query."""
    return not source.lstrip().startswith("(") and bool(_FILE.search(source))


_WORKLOAD = re.compile(r"'([^']+\.sql)'", re.IGNORECASE)
"""A file of count queries in the text of a cost."""


def _within(folder: Path, name: str) -> str:
    """The path of a file named beside a problem file, as the text of a string in a cost."""
    return (name if Path(name).is_absolute() else str(folder / name)).replace("'", "''")


def _beside(fields: dict[str, Any], folder: Path) -> dict[str, Any]:
    def resolve(source: Any) -> Any:
        """A file's path, relative to the folder; anything else as it is."""
        named = isinstance(source, str) and (is_file(source) or source.lower().endswith(".json"))  # taxonomies may be JSON
        if named and not Path(source).is_absolute():
            return str(folder / source)
        return source

    fields = dict(fields)
    if "table" in fields:
        fields["table"] = resolve(fields["table"])
    if isinstance(fields.get("minimize"), str):
        fields["minimize"] = _WORKLOAD.sub(lambda found: f"'{_within(folder, found[1])}'", fields["minimize"])
    for field in ("quasi_identifiers", "sensitive"):
        columns = fields.get(field)
        if isinstance(columns, dict):
            fields[field] = {
                name: {**spec, "taxonomy": resolve(spec["taxonomy"])} if isinstance(spec, dict) and "taxonomy" in spec else spec
                for name, spec in columns.items()
            }
    return fields
