"""The kernel's groups of arrays as one compiled structure.

Passed as plain named tuples, every call of a compiled function would hand over each array of each group one by one, which makes
compilation slow and calls dear; a structure is one pointer. Python keeps the tuples; the structure shares their arrays.

numba counts references to whatever it knows to be owned, with atomic instructions that took half of the search's time. So a
structure lends its arrays, and the structures inside it, without counting: whoever holds the outermost one keeps all alive.
"""

from __future__ import annotations

from typing import Any

from numba import typeof, types
from numba.core import cgutils
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)
from numba.core.typing.templates import AttributeTemplate
from numba.experimental import structref

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import SpaceArrays
from gensearch_db.search.blurred_boxes import BlurredTable
from gensearch_db.search.box_kernel import BoxTable
from gensearch_db.search.coarse_boxes import CoarseTable, KnownBoxes
from gensearch_db.search.state import Kernel


@structref.register
class GroupType(types.StructRef):
    """Numba's type of a group: the names and types of its members."""

    def preprocess_fields(self, fields: Any) -> Any:
        """Members keep no literal values in their types."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Owner(structref.StructRefProxy):
    """A group in Python's hands: it keeps the structure alive, and those inside it."""


structref.define_boxing(GroupType, Owner)


class LentType(types.Type):
    """Numba's type of a group that another group lends: a pointer to its members."""

    def __init__(self, group: GroupType) -> None:
        self.group = group
        super().__init__(f"Lent({group.name})")


@register_model(LentType)
class LentModel(models.PrimitiveModel):
    """A lent group is passed as a plain pointer, which nobody counts."""

    def __init__(self, manager: Any, kind: LentType) -> None:
        super().__init__(manager, kind, cgutils.voidptr_t)


@infer_getattr
class LentAttributes(AttributeTemplate):
    """A lent group has the members of the group."""

    key = LentType

    def generic_resolve(self, kind: LentType, name: str) -> Any:  # type: ignore[override]
        """The type of a member."""
        return kind.group.field_dict.get(name)


@lower_getattr_generic(LentType)
def _member_of_lent(context, builder, kind, pointer, name):  # type: ignore[no-untyped-def]
    members = kind.group.get_data_type()
    layout = context.data_model_manager[members].get_value_type()
    typed = builder.bitcast(pointer, layout.as_pointer())
    return getattr(cgutils.create_struct_proxy(members)(context, builder, ref=typed), name)


class Group:
    """A group to be passed to compiled functions, which borrow it. ``source`` owns its arrays, ``owner`` its structure."""

    def __init__(self, owner: Owner, source: Any) -> None:
        self.owner = owner
        self.source = source
        self.kind = LentType(typeof(owner))
        self.address = _address(owner)


@typeof_impl.register(Group)
def _kind_of_group(group: Group, _context: Any) -> LentType:
    return group.kind


@unbox(LentType)
def _unboxed(kind, group, c):  # type: ignore[no-untyped-def]
    number = c.pyapi.object_getattr_string(group, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(pointer)


@intrinsic
def _lent(typing_context, group):  # type: ignore[no-untyped-def]
    """A pointer to the members of a group."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        """The instructions, as numba asks for them."""
        meminfo = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=arguments[0]).meminfo
        return builder.bitcast(context.nrt.meminfo_data(builder, meminfo), cgutils.voidptr_t)

    return LentType(group)(group), generate


@intrinsic
def _number(typing_context, pointer):  # type: ignore[no-untyped-def]
    """A pointer as an integer."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        """The instructions, as numba asks for them."""
        return builder.ptrtoint(arguments[0], context.get_value_type(types.intp))

    return types.intp(pointer), generate


class LentArray(types.Array):
    """Numba's type of an array that a group lends: contiguous, to be written to, and not counted."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        super().__init__(dtype, ndim, "C", name=f"lent_array({dtype}, {ndim})")

    def __repr__(self) -> str:
        """Unlike an array's: the names of groups are made of it, and numba tells types and cached code apart by them."""
        return self.name


@register_model(LentArray)
class LentArrayModel(models.StructModel):
    """The members of numba's arrays; but the owner is a plain pointer (to nothing), which nobody counts."""

    def __init__(self, manager: Any, kind: LentArray) -> None:
        members = [
            ("meminfo", types.voidptr),
            ("parent", types.voidptr),
            ("nitems", types.intp),
            ("itemsize", types.intp),
            ("data", types.CPointer(kind.dtype)),
            ("shape", types.UniTuple(types.intp, kind.ndim)),
            ("strides", types.UniTuple(types.intp, kind.ndim)),
        ]
        super().__init__(manager, kind, members)


@intrinsic
def _lent_array(typing_context, array):  # type: ignore[no-untyped-def]
    """The same array without its owner."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        """The instructions, as numba asks for them."""
        source = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        made = context.make_array(signature.return_type)(context, builder)
        for name in ("nitems", "itemsize", "data", "shape", "strides"):
            setattr(made, name, getattr(source, name))
        made.meminfo = made.parent = cgutils.voidptr_t(None)
        return made._getvalue()

    return LentArray(array.dtype, array.ndim)(array), generate


def _as_structure(group):  # type: ignore[no-untyped-def]
    """Stands for the compiled conversion below (numba compares signatures, so neither is annotated)."""


@overload(_as_structure)
def _as_structure_compiled(group):  # type: ignore[no-untyped-def]
    if isinstance(group, types.Array):
        return lambda group: _lent_array(group)  # type: ignore[call-arg]
    if not isinstance(group, types.BaseNamedTuple):
        return lambda group: group
    lines = []
    for name, kind in _members(group):
        lines.append(f"    made.{name} = convert(group.{name})")
        if isinstance(kind, types.BaseNamedTuple):
            lines[-1:] = [f"    made.{OWNED}{name} = convert(group.{name})", f"    made.{name} = lent(made.{OWNED}{name})"]
    source = "\n".join(["def conversion(group):", "    made = new(group_type)", *lines, "    return made"])
    known = {"new": structref.new, "group_type": _group_type(group), "convert": _as_structure, "lent": _lent}
    exec(source, known)
    return known["conversion"]


OWNED = "owned_"
"""Begins the name of the member that keeps a lent group alive."""


def _members(group: Any) -> list[tuple[str, Any]]:
    """Names and types of the members of a named tuple's type."""
    return list(zip(group.fields, group, strict=True))


def _group_type(group: Any) -> GroupType:
    members: list[tuple[str, Any]] = []
    for name, kind in _members(group):
        if isinstance(kind, types.BaseNamedTuple):
            owned = _group_type(kind)
            members += [(OWNED + name, owned), (name, LentType(owned))]
        elif isinstance(kind, types.Array):
            members.append((name, LentArray(kind.dtype, kind.ndim)))
        elif isinstance(kind, types.Number):
            members.append((name, kind))
        else:
            raise TypeError(f"a group cannot lend {name}, a {kind}: only arrays, numbers and groups")
    return GroupType(members)


@compiled
def _converted(group: Any) -> Any:
    return _as_structure(group)


@compiled
def _address(group: Any) -> Any:
    return _number(_lent(group))  # type: ignore[call-arg]


def structure(group: Kernel | BlurredTable | BoxTable | CoarseTable | KnownBoxes | SpaceArrays) -> Any:
    """The structure of a group of C-contiguous arrays and numbers; the groups inside it become structures too."""
    return Group(_converted(group), group)
