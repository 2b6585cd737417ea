"""What can be reached: who else holds an array that staged code stores into, and what unconverted code may change.

The search begins at the variables of the running functions, and goes through closures, containers and objects. Here,
too, is how the parts of merged values stand beside those that they stand for, which `aliases` is told.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.base.dtypes import DType
from autograph.runtime.base.places import Place
from autograph.runtime.functions.choices import note_choice
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.tensor import Tensor
from autograph.runtime.tensors.trace import is_user_file, user_location

from .. import aliases, array_memory
from ..aliases import PUT, SOMETIMES, TAKEN, Alternative, Side
from ..control_flow import for_stmt
from ..forms import original
from ..heap import form
from ..locations import Attribute, Cell, Global, Item, Location, Mutable, StateOf, attributes_of, is_plain_object
from ..raw_attributes import raw_attribute
from ..state import Contents, created, stack
from ..variables import UNDEFINED
from .chosen import Chosen
from .dicts import DictState, StagedDict
from .lists import ListState
from .maybe import Maybe
from .specs import SCALARS, Frozen, can_change, has_parts, parts_of
from .values import frozen_in, inside

_ROOT = "run_trace"
_MOST = 20_000  # objects that are looked into
_LEAVES = (str, bytes, int, float, complex, type(None))
_SEQUENCE_ITERATORS: tuple[type, ...] = (
    type(iter([])), type(iter(np.zeros(1))), enumerate, zip, reversed, map, filter,
)  # fmt: skip
# Where the other classes are from whose objects hold values: views and iterators of dicts and lists, slices.
_LIBRARY = ("builtins", "itertools", "types")


_HOLDING_NOTHING = (
    *SCALARS, type(None), type, ModuleType, Tensor, Variable, np.generic, np.ndarray, np.dtype, DType, range, slice,
    Frozen, ListState,
)  # fmt: skip


class MaybeValue(Location):
    """What a variable or item holds that may be missing at run time."""

    __slots__ = ()
    owner: Maybe

    def get(self) -> Any:
        return self.owner.ag__value

    def set(self, value: Any) -> None:
        self.owner.ag__value = value


def is_held(obj: Any) -> bool:
    """Whether a variable, an object or a container holds an object."""
    return next(holders(obj), None) is not None or any(
        value is obj for frame in _user_frames() for value in frame.f_locals.values()
    )


def pairs(merged: Any, frozen: Any) -> Iterator[tuple[Any, Any]]:
    """A merged value and its parts at any depth, each beside what it stands for; not those of the same object."""
    pending = [(merged, frozen)]
    while pending:
        merged, frozen = pending.pop()
        merged, frozen = form(_there(merged)), _there(frozen)
        yield merged, frozen
        if not (isinstance(frozen, Frozen) and frozen.obj is original(merged)):
            pending.extend(_pairs(merged, frozen))


def _there(value: Any) -> Any:
    """What may be missing, where it is not."""
    while isinstance(value, Maybe):
        value = value.ag__value
    return value


def relate(merged: Any, frozen: Any, side: Side, place: Location | None) -> None:
    """Notes what a merged value and its parts stand for after a branch, and the objects that the branch has made.

    What a place holds that is the contents of an object is no object itself.
    """
    label = "" if place is None else place.label
    is_object = not isinstance(place, (Contents, StateOf))
    for number, (part, each) in enumerate(pairs(merged, frozen)):
        if not isinstance(each, Frozen):
            continue
        if array_memory.is_array(each.obj) and part is not each.obj and not _is_one(part, each.obj):
            aliases.relate(part, each.obj, SOMETIMES, label=label)
        elif (number or is_object) and can_change(each.obj):
            side.alternatives.append(Alternative(part, each.obj))
        inside = [each] if number or is_object else [each.contents]
        side.new.extend(inner.obj for inner in frozen_in(inside) if inner.is_new and array_memory.is_whole(inner.obj))
    note_parts(merged, frozen, label)


def keeps_objects(values: list[Any]) -> bool:
    """Whether frozen values may hold objects unseen: in the defaults of a function, in a partial, an iterator."""
    return any(map(_keeps_objects, inside(values)))


def _keeps_objects(value: Any) -> bool:
    if isinstance(value, Chosen):
        return any(map(_keeps_objects, value.options))
    if isinstance(value, FunctionType):
        return bool(value.__defaults__ or value.__kwdefaults__ or value.__closure__)
    if isinstance(value, BuiltinFunctionType):
        return not isinstance(value.__self__, (ModuleType, type(None)))
    return not isinstance(value, _HOLDING_NOTHING) and value is not UNDEFINED


def _is_one(merged: Any, array: Any) -> bool:
    """Whether what merging has made is an array that may be another one, as a whole: of the same shape and dtype."""
    if not (array_memory.is_tensor(merged) and array_memory.is_whole(array)):
        return False
    shape = array.shape if isinstance(array, np.ndarray) else array.static_shape
    return merged.static_shape == shape and merged.dtype.numpy == (
        array.dtype if isinstance(array, np.ndarray) else array.dtype.numpy
    )


def note_parts(merged: Any, frozen: Any, label: str) -> None:
    """Notes what a merged value has copies of: elements of lists, and objects in lists that have become staged."""
    for part, each in pairs(merged, frozen):
        if isinstance(each, Variable):
            note_choice(part, each.origin)
        if isinstance(each, tuple) and isinstance(part, Mutable):
            _note_put(list(each), part, label)
        if not isinstance(each, Frozen):
            continue
        if raw_attribute(each.obj, "depth", False):  # an element of a list, which has it too
            aliases.relate(part, each.obj.root, SOMETIMES, TAKEN, label=label)
        if isinstance(form(part), Mutable) and isinstance(each.contents, list):
            _note_put(each.contents, part, label)


def _note_put(contents: list[Any], values: Any, label: str) -> None:
    """Notes that a staged list or tuple has copies of what its elements were."""
    for inner in frozen_in(list(contents)):
        aliases.relate(inner.obj, values, SOMETIMES, PUT, label=label)


def note_new(value: Any, known: Container[int]) -> None:
    """Notes what merging has made and can be changed: that is an affair of the body that does it."""
    value = _there(value)
    if not has_parts(value) or id(value) in known:
        return
    if not isinstance(value, tuple):
        created(value)
    for part in parts_of(value)[1]:
        note_new(part, known)


def _pairs(merged: Any, frozen: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a merged structure beside those of one that it stands for."""
    if not has_parts(merged) or not has_parts(frozen.obj if isinstance(frozen, Frozen) else frozen):
        return iter(())
    if isinstance(frozen, Frozen) and isinstance(frozen.contents, (ListState, DictState)):
        return iter(())
    (keys, parts), (other_keys, others) = parts_of(merged), parts_of(frozen)
    by_key = dict(zip(other_keys, others, strict=True))
    return iter([(part, by_key[key]) for key, part in zip(keys, parts, strict=True) if key in by_key])


def reachable(roots: Iterable[Any], where: Place | None = None) -> Iterator[Any]:
    """Some objects, and what can be reached from them: through variables, closures, attributes, items and classes.

    ``where`` is the user's code that an error is to name.
    """
    nothing = object()
    pending = list(roots)
    seen: set[int] = set()
    while pending:
        each = pending.pop()
        if id(each) not in seen and not isinstance(each, _LEAVES):
            seen.add(id(each))
            _check_limit(seen, where)
            yield each
            for _ in _holders_in(each, nothing, pending):
                pass


def _check_limit(seen: set[int], where: Place | None = None) -> None:
    """Refuses to guess what can be reached.

    Raises:
        MutationError: it is too much to be looked through.
    """
    if len(seen) > _MOST:
        place = user_location() if where is None else where.location
        raise MutationError(
            f"what can be reached from here is more than {_MOST} objects: whether one of them changes can't be told",
            **({} if place is None else place._asdict()),
            construct="objects",
            remedy="keep large lists and dicts out of reach of this function, or hold their values in a tensor",
        )


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code.co_name != _ROOT or is_user_file(frame.f_code.co_filename)):
        yield frame
        frame = frame.f_back


def _user_frames() -> Iterator[FrameType]:
    return (frame for frame in _frames() if is_user_file(frame.f_code.co_filename))


def holders(values: Any) -> Iterator[Location | str]:
    """The places that hold an object, and the names of holders that are none."""
    pending: list[Any] = [body for journal in stack() for body in journal.bodies]
    for frame in _frames():
        if is_user_file(frame.f_code.co_filename):
            pending.extend(frame.f_locals.values())
            yield from _globals(frame.f_globals, frame.f_code.co_names, values, pending)
        elif frame.f_code is for_stmt.__code__ and _runs_over(frame.f_locals.get("iterator"), values):
            yield "a loop that runs over it"
    seen = {id(values)}
    while pending:
        each = pending.pop()
        if id(each) not in seen and not isinstance(each, _LEAVES):
            seen.add(id(each))
            _check_limit(seen)
            yield from _holders_in(each, values, pending)


def _globals(namespace: dict[str, Any], names: tuple[str, ...], values: Any, pending: list[Any]) -> Iterator[Location]:
    for name in names:
        value = namespace.get(name)
        pending.append(value)
        if value is values:
            yield Global(namespace, name)


def _holders_in(holder: Any, values: Any, pending: list[Any]) -> Iterator[Location | str]:
    """The places in one object; its parts are added to what is to be looked into."""
    if isinstance(holder, FunctionType):
        yield from _holders_in_function(holder, values, pending)
    elif isinstance(holder, (list, dict)):
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            pending.append(value)
            if value is values:
                yield Item(holder, key, f"[{key!r}]")
    elif isinstance(holder, Maybe):
        pending.append(holder.ag__value)
        if holder.ag__value is values:
            yield MaybeValue(holder, holder.ag__name)
    elif is_plain_object(holder):
        for name, value in attributes_of(holder).items():
            pending.append(value)
            if value is values:
                yield Attribute(holder, name)
        pending.append(type(holder))
    else:
        parts = list(_parts(holder))
        pending.extend(parts)
        if any(part is values for part in parts):
            called = raw_attribute(holder, "__qualname__")
            yield f"`{called}`" if called else f"a {type(holder).__name__}"


def _holders_in_function(function: FunctionType, values: Any, pending: list[Any]) -> Iterator[Location | str]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        location = Cell(cell, name)
        value = location.get()
        pending.append(value)
        if value is values:
            yield location
    if not is_user_file(code.co_filename):
        return
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    pending.extend(defaults)
    if any(value is values for value in defaults):
        yield f"a default argument of `{function.__name__}`"
    yield from _globals(function.__globals__, _global_names(code), values, pending)


def _global_names(code: CodeType) -> tuple[str, ...]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return code.co_names + tuple(name for each in inner for name in _global_names(each))


def _parts(holder: Any) -> Iterator[Any]:
    if isinstance(holder, (tuple, set, frozenset, deque)):
        yield from holder
    elif isinstance(holder, np.ndarray) and holder.dtype.hasobject:
        yield from holder.flat
    elif isinstance(holder, (MethodType, BuiltinFunctionType)):
        yield holder.__self__
        if isinstance(holder, MethodType):
            yield holder.__func__
    elif isinstance(holder, functools.partial):
        yield from (holder.func, *holder.args, *holder.keywords.values())
    elif isinstance(holder, (staticmethod, classmethod)):
        yield holder.__func__
    elif isinstance(holder, property):
        yield from (holder.fget, holder.fset)
    elif isinstance(holder, CellType):
        yield Cell(holder, "").get()
    elif isinstance(holder, GeneratorType) and holder.gi_frame is not None:
        yield from holder.gi_frame.f_locals.values()
    elif (isinstance(holder, type) and is_user_class(holder)) or _is_user_module(holder):
        yield from vars(holder).values()
    elif isinstance(holder, StagedDict):
        yield from holder.state.values.values()
    elif type(holder).__module__ in _LIBRARY and not isinstance(holder, (type, ModuleType)):
        yield from gc.get_referents(holder)


def _is_user_module(obj: Any) -> bool:
    return isinstance(obj, ModuleType) and is_user_file(getattr(obj, "__file__", None) or "<frozen ")


def is_user_class(cls: type) -> bool:
    """Whether a class is written in a file of the user."""
    module = sys.modules.get(cls.__module__)
    return is_user_file(getattr(module, "__file__", None) or "<string>")


def _runs_over(iterator: Any, values: Any, depth: int = 3) -> bool:
    if not depth or not isinstance(iterator, (*_SEQUENCE_ITERATORS, tuple)):
        return False
    return any(each is values or _runs_over(each, values, depth - 1) for each in gc.get_referents(iterator))
