"""What a problem says of one column: how a quasi-identifier may be generalized, what is declared of a sensitive column."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from gensearch_db.argument_kinds import IN_ORDER, has_no_order
from gensearch_db.problem.wrong_fields import in_our_words


class Fields(BaseModel):
    """Frozen fields, none besides those named, and no number that is not finite: JSON has none, and the catalog is JSON."""

    groups: ClassVar[dict[str, type[BaseModel]]] = {}
    """The fields that hold a group of fields per column, and what those groups are."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __init__(self, **fields: Any) -> None:
        with in_our_words(type(self)):
            super().__init__(**fields)

    # Validation does not go through this __init__: what is wrong with a model in a model is told with all of the outer one.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("*", mode="before")
    @classmethod
    def _kind(cls, value: Any, info: ValidationInfo) -> Any:
        """True and false are no numbers, though Python counts them as 1 and 0; a set is no list, though pydantic takes it."""
        if has_no_order(value):
            raise ValueError(IN_ORDER)
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation in (float, int, int | None):
            raise ValueError(f"must be a number, not {str(value).lower()}")
        return value


def _plain(value: Any) -> str | int | float:
    """A bound of a domain: a text or number as it is, a date as its text."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the lowest and the highest value must be finite, not {value}")
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


class QuasiIdentifier(Fields):
    """How one quasi-identifier may be generalized. With no field set, the kind follows from the column's type.

    ``split``: ``"every 5"``, ``"every month"``, ``"at 22, 26, 31"``, ``"16 quantiles"``, ``"anywhere"``.
    ``order``: a list of values, or True for the column's own order. ``taxonomy``: a table's name or a CSV file;
    ``relaxed`` lets any subset of a node's children split from the rest. ``prefix``: postcodes and other codes whose
    prefixes are regions. ``unordered``: any set of values. ``domain``: the declared bounds, published as they are.
    ``weight``: share in NCP. ``minimum_length``: shortest published edge. ``timezone``: for TIMESTAMPTZ. Raises one
    :class:`SpecificationError` for all that is wrong.
    """

    split: str | None = None
    order: tuple[str, ...] | bool | None = None
    taxonomy: str | None = None
    relaxed: bool = False
    prefix: bool = False
    unordered: bool = False
    domain: tuple[str | int | float, str | int | float] | None = None
    weight: float = Field(default=1.0, gt=0)
    minimum_length: float = Field(default=0.0, ge=0)
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


class SensitiveColumn(Fields):
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
