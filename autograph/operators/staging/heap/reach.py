"""What can be reached through variables, closures, containers and objects: unconverted code may change it.

Here, too, is how the parts of merged values stand beside those that they stand for, which `aliases` is told.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
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

from ...data_model.raw_attributes import raw_attribute
from ...variables import UNDEFINED
from ..values.chosen import Chosen
from ..values.dicts import DictState, StagedDict
from ..values.elements import sources
from ..values.lists import ListState
from ..values.maybe import Maybe
from ..values.specs import LEAVES, SCALARS, Frozen, can_change, has_parts, parts_of
from ..values.values import frozen_in, inside
from . import aliases, array_memory
from .aliases import PUT, SHARED, SOMETIMES, TAKEN, Alternative, Side
from .forms import original
from .heap import form
from .iterators import is_iterator, made_of
from .locations import Cell, Location, Mutable, StateOf, attributes_of, is_plain_object
from .state import Contents, created

_MOST = 20_000  # objects that are looked into
_LEAVES = (str, bytes, int, float, complex, type(None))
_DICT_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_HOLDING_NOTHING = (
    *SCALARS, type(None), type, ModuleType, Tensor, Variable, np.generic, np.ndarray, np.dtype, DType, range, slice,
    Frozen, ListState,
)  # fmt: skip


def pairs(merged: object, frozen: object) -> Iterator[tuple[Any, Any]]:
    """A merged value and its parts at any depth, each beside what it stands for; not those of the same object, nor
    numbers and texts."""
    pending = [(merged, frozen)]
    seen: dict[tuple[int, int], tuple[Any, Any]] = {}  # a list may hold itself
    while pending:
        merged, frozen = pending.pop()
        merged, frozen = form(_there(merged)), _there(frozen)
        yield merged, frozen
        obj = frozen.obj if isinstance(frozen, Frozen) else frozen
        if obj is not original(merged) and (id(merged), id(frozen)) not in seen:
            seen[id(merged), id(frozen)] = merged, frozen
            pending.extend(_pairs(merged, frozen))


def _there(value: object) -> Any:
    """What may be missing, where it is not."""
    while isinstance(value, Maybe):
        value = value.ag__value
    return value


def relate(merged: object, frozen: object, side: Side, place: Location | None) -> None:
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


def _keeps_objects(value: object) -> bool:
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


def note_parts(merged: object, frozen: object, label: str) -> None:
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
            for source in sources(each.obj.root):
                aliases.relate(part, source, SOMETIMES, label=label)
        if isinstance(form(part), Mutable) and isinstance(each.contents, list):
            _note_put(each.contents, part, label)


def _note_put(contents: list[Any], values: object, label: str) -> None:
    """Notes that a staged list or tuple has copies of what its elements were."""
    for inner in frozen_in(list(contents)):
        aliases.relate(inner.obj, values, SOMETIMES, PUT, label=label)
        if raw_attribute(inner.obj, "depth", False):
            aliases.relate(inner.obj.root, values, SOMETIMES, SHARED, label=label)


def note_new(value: object, known: Container[int]) -> None:
    """Notes what merging has made and can be changed: that is an affair of the body that does it."""
    pending, seen = [value], set[int]()
    while pending:
        each = _there(pending.pop())
        if not has_parts(each) or id(each) in known or id(each) in seen:
            continue
        seen.add(id(each))
        if not isinstance(each, tuple):
            created(each)
        pending.extend(parts_of(each)[1])


def _pairs(merged: object, frozen: object) -> Iterator[tuple[Any, Any]]:
    """The parts of a merged structure beside those of one that it stands for."""
    if not has_parts(merged) or not has_parts(frozen.obj if isinstance(frozen, Frozen) else frozen):
        return iter(())
    if isinstance(frozen, Frozen) and isinstance(frozen.contents, (ListState, DictState)):
        return iter(())
    (keys, parts), (other_keys, others) = parts_of(merged), parts_of(frozen)
    by_key = {key: other for key, other in zip(other_keys, others, strict=True) if type(other) not in LEAVES}
    return iter([(part, by_key[key]) for key, part in zip(keys, parts, strict=True) if key in by_key])


def reachable(roots: Iterable[Any], where: Place | None = None) -> Iterator[Any]:
    """Some objects, and what can be reached from them: through variables, closures, attributes, items and classes.

    ``where`` is the user's code that an error is to name.

    Raises:
        MutationError: it is too much to be looked through; what can be reached is not guessed.
    """
    for number, each in enumerate(_reachable(roots)):
        if number == _MOST:
            raise too_many("whether one of them changes can't be told", where)
        yield each


def all_reachable(roots: Iterable[Any]) -> list[Any] | None:
    """The same; None where it is too much to be looked through."""
    found = list(itertools.islice(_reachable(roots), _MOST + 1))
    return found if len(found) <= _MOST else None


def _reachable(roots: Iterable[Any]) -> Iterator[Any]:
    pending = list(roots)
    seen: set[int] = set()
    while pending:
        each = pending.pop()
        if id(each) not in seen and not isinstance(each, _LEAVES):
            seen.add(id(each))
            yield each
            pending.extend(_parts(each))


def too_many(what: str, where: Place | None = None) -> MutationError:
    """The error where more objects can be reached than are looked through."""
    place = user_location() if where is None else where.location
    return MutationError(
        f"what can be reached from here is more than {_MOST} objects: {what}",
        **({} if place is None else place._asdict()),
        construct="objects",
        remedy="keep large lists and dicts out of reach of this function, or hold their values in a tensor",
    )


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield Cell(cell, name).get()
    if is_user_file(code.co_filename):
        yield from function.__defaults__ or ()
        yield from (function.__kwdefaults__ or {}).values()
        yield from (function.__globals__.get(name) for name in _global_names(code))


def _global_names(code: CodeType) -> tuple[str, ...]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return code.co_names + tuple(name for each in inner for name in _global_names(each))


def _parts(holder: object) -> Iterator[Any]:
    if isinstance(holder, FunctionType):
        yield from _parts_of_function(holder)
    elif isinstance(holder, (list, dict)):
        yield from list(holder.values() if isinstance(holder, dict) else holder)
    elif isinstance(holder, Maybe):
        yield holder.ag__value
    elif is_plain_object(holder):
        yield from (*attributes_of(holder).values(), type(holder))
    elif is_iterator(holder) and not isinstance(holder, GeneratorType):
        yield from made_of(holder)
    else:
        yield from _parts_of_library(holder)


def _parts_of_library(holder: object) -> Iterator[Any]:
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
    elif isinstance(holder, _DICT_VIEWS):
        yield holder.mapping  # type: ignore[attr-defined]
    elif isinstance(holder, MappingProxyType):
        yield from holder.values()
    elif isinstance(holder, slice):
        yield from (holder.start, holder.stop, holder.step)
    elif isinstance(holder, BaseException):
        yield from (*holder.args, *vars(holder).values())


def _is_user_module(obj: object) -> bool:
    return isinstance(obj, ModuleType) and is_user_file(getattr(obj, "__file__", None) or "<frozen ")


def is_user_class(cls: type) -> bool:
    """Whether a class is written in a file of the user."""
    module = sys.modules.get(cls.__module__)
    return is_user_file(getattr(module, "__file__", None) or "<string>")
