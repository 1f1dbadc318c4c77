"""What can be written as a call, by name: the shape that the registries of constraints and costs share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from gensearch_db.errors import SpecificationError, near_matches
from gensearch_db.problem.calls import Call


class Readable(Protocol):
    """A class whose instances are written ``name(arguments)``."""

    name: ClassVar[str]

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Read the arguments. Raises :class:`SpecificationError` that names the wrong one."""


Kind = TypeVar("Kind", bound=Readable)


class Registry(dict[str, type[Kind]], Generic[Kind]):
    """Classes by their ``name``. ``noun`` and ``nouns`` say in messages what they are: privacy constraint, constraints."""

    def __init__(self, noun: str, nouns: str, kinds: Iterable[type[Kind]]) -> None:
        super().__init__({kind.name: kind for kind in kinds})
        self.noun = noun
        self.nouns = nouns

    def add(self, kind: type[Kind]) -> None:
        """Add a user's own class. Raises :class:`SpecificationError` where its name belongs to another one."""
        if self.get(kind.name, kind) is not kind:
            raise SpecificationError(f"the {self.noun} name '{kind.name}' is taken; choose another one")
        self[kind.name] = kind

    def unknown(self, name: str) -> str:
        """The complaint about a name that is none of these."""
        return f"there is no {self.noun} '{name}'{near_matches(name, self) or f'; {self.nouns} are ' + ', '.join(self)}"

    def read(self, call: Call) -> Kind:
        """What a call stands for. Raises :class:`SpecificationError` for unknown names and wrong arguments."""
        if call.name not in self:
            raise SpecificationError(self.unknown(call.name))
        return self[call.name].from_call(call)
