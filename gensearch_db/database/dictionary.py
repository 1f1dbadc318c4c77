"""The dictionary of a release: what each published column stands for, in a form that programs read.

It stands as JSON in the comment of ``<release>_blocks``, so that whoever receives the two tables can estimate counts and
audit k without the owner's catalog. It holds names, types and declared bounds, never a value of a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from gensearch_db.errors import DataError

FORMAT = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class QuasiIdentifierColumns(_Model):
    """The published columns of one quasi-identifier.

    ``kind``: ``ordered`` attributes have bounds (``lower``, ``upper``, half-open; NULL = open end), ``categorical`` ones a
    list ``values``. ``missing`` names the column that says whether NULL belongs to the region (``no``, ``possible``,
    ``only``); None where the source column has no missing values, and for categories (NULL stands in their list).
    ``integral``: the values are whole (integers, dates), so a bound of ``[20, 25)`` means 20 to 24. ``domain``: bounds that
    the user declared, as text.
    """

    name: str
    kind: Literal["ordered", "categorical"]
    type: str
    label: str
    lower: str | None = None
    upper: str | None = None
    missing: str | None = None
    values: str | None = None
    integral: bool = False
    domain: tuple[str | None, str | None] = (None, None)


class SensitiveColumn(_Model):
    """A sensitive column and the blocks' column with its distribution: LIST of STRUCT(value, count)."""

    name: str
    type: str
    distribution: str


class ReleaseDictionary(_Model):
    """All columns of a release. ``rows`` counts released rows; ``unit`` is what sizes protect: ``rows`` or ``persons``."""

    format: int = FORMAT
    release: str
    unit: Literal["rows", "persons"] = "rows"
    rows: int
    count: str
    typed_columns: bool = False
    quasi_identifiers: tuple[QuasiIdentifierColumns, ...]
    sensitive: tuple[SensitiveColumn, ...] = ()
    keep: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One JSON object."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> ReleaseDictionary:
        """Read :meth:`to_json`'s text. Raises :class:`DataError` where it is not a dictionary of this or an older format."""
        try:
            dictionary = cls.model_validate_json(text)
        except ValidationError as error:
            raise DataError("the comment of the blocks table is not a dictionary that gensearch-db wrote") from error
        if dictionary.format > FORMAT:
            raise DataError(f"the release has dictionary format {dictionary.format}; this version reads up to {FORMAT}")
        return dictionary


class Names:
    """Hands out column names: the wanted one, with ``_`` appended until no other column has it (case does not count)."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {name.casefold() for name in taken}

    def new(self, wanted: str) -> str:
        """A free name; it is taken from now on."""
        while wanted.casefold() in self._taken:
            wanted += "_"
        self._taken.add(wanted.casefold())
        return wanted
