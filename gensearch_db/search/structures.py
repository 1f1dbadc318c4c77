"""The kernel's groups of arrays as one compiled structure.

Passed as plain named tuples, every call of a compiled function would hand over each array of each group one by one, which makes
compilation slow and calls dear; a structure is one pointer. Python keeps the tuples; the structure shares their arrays.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.extending import intrinsic, overload
from numba.experimental import structref

from gensearch_db.compilation import compiled
from gensearch_db.search.box_kernel import BoxTable
from gensearch_db.search.state import Kernel


@structref.register
class GroupType(types.StructRef):
    """Numba's type of a group: the names and types of its members."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Members keep no literal values in their types."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Group(structref.StructRefProxy):
    """A group in Python's hands: to be passed to compiled functions, not to be looked into. ``source`` owns its arrays."""

    source: Any


structref.define_boxing(GroupType, Group)


@intrinsic
def _borrowed(typing_context, array):  # type: ignore[no-untyped-def]
    """The same array without a count of references."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        made = context.make_array(signature.return_type)(context, builder, value=arguments[0])
        for owner in ("meminfo", "parent"):
            setattr(made, owner, getattr(made, owner).type(None))
        return made._getvalue()

    return types.Array(array.dtype, array.ndim, "C")(array), generate


def _as_structure(group):  # type: ignore[no-untyped-def]
    """Stands for the compiled conversion below (numba compares signatures, so neither is annotated)."""


@overload(_as_structure)
def _as_structure_compiled(group):  # type: ignore[no-untyped-def]
    if isinstance(group, types.Array):
        return lambda group: _borrowed(group)  # type: ignore[call-arg]
    if not isinstance(group, types.NamedTuple):
        return lambda group: group
    members = [(name, _member_type(kind)) for name, kind in zip(group.fields, group.types, strict=True)]
    group_type = GroupType(members)
    lines = [f"    made.{name} = convert(group.{name})" for name, _ in members]
    source = "\n".join(["def conversion(group):", "    made = new(group_type)", *lines, "    return made"])
    names = {"new": structref.new, "group_type": group_type, "convert": _as_structure}
    exec(source, names)
    return names["conversion"]


def _member_type(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return types.Array(kind.dtype, kind.ndim, "C")
    if not isinstance(kind, types.NamedTuple):
        return kind
    return GroupType([(name, _member_type(member)) for name, member in zip(kind.fields, kind.types, strict=True)])


@compiled
def _converted(group: Any) -> Any:
    return _as_structure(group)


def structure(group: Kernel | BoxTable) -> Any:
    """The structure of a group of C-contiguous arrays and numbers; the groups inside it become structures too."""
    made = _converted(group)
    made.source = group
    return made
