"""Who else holds a list or dict that staged code is about to put another one in the place of.

The search begins at the variables of the running functions, and goes through closures, containers and objects. What
it finds is set to the new one; a holder that can't be set is refused by name, as it would keep seeing the old one.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
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

from autograph.runtime.choices import note_choice
from autograph.runtime.trace import is_user_file
from autograph.runtime.variable import Variable

from ..control_flow import for_stmt
from ..identities import note_source
from ..locations import Attribute, Cell, Global, Item, Location, Mutable, attributes_of, is_plain_object
from ..state import CHOSEN, INSIDE, copies, created, mark_copy, stack
from .dicts import StagedDict
from .maybe import Maybe
from .specs import Frozen, has_parts, parts_of

_ROOT = "run_trace"
_MOST = 20_000  # objects that are looked into
_LEAVES = (str, bytes, int, float, complex, type(None))
_SEQUENCE_ITERATORS: tuple[type, ...] = (
    type(iter([])), type(iter(np.zeros(1))), enumerate, zip, reversed, map, filter,
)  # fmt: skip
# Where the other classes are from whose objects hold values: views and iterators of dicts and lists, slices.
_LIBRARY = ("builtins", "itertools", "types")


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


def is_old(obj: Any) -> bool:
    """Whether an object that a staged body has left, whose changes are undone, is older than the body."""
    return any(journal.is_early(obj) for journal in stack()) or is_held(obj)


def always_old(_: Any) -> bool:
    """What `is_old` says of objects that a place has held before the statement."""
    return True


def mark_copies(label: str, merged: Any, frozen: Any, is_old: Callable[[Any], bool]) -> None:
    """Notes a merged list, dict, object or variable, and one that it may stand for, when that one has another name."""
    merged = merged.ag__value if isinstance(merged, Maybe) else merged
    frozen = frozen.ag__value if isinstance(frozen, Maybe) else frozen
    if frozen is merged or (isinstance(frozen, Frozen) and frozen.obj is merged):
        return
    for part, each in _pairs(merged, frozen):
        mark_copies(label, part, each, is_old)
    if isinstance(frozen, Frozen):
        note_source(merged, frozen.obj)
        if frozen.mark is not None:
            _mark(merged, label, frozen.mark)
    if isinstance(merged, Mutable):
        for each in frozen.contents if isinstance(frozen, Frozen) and isinstance(frozen.contents, list) else ():
            if isinstance(each, Frozen):  # the merged list has a copy of it
                _mark(each.obj, label, INSIDE)
    if isinstance(frozen, Variable):
        note_choice(merged, frozen.origin)
    if isinstance(frozen, Frozen) and getattr(frozen.obj, "depth", False):  # an element of a list, which has it too
        _mark(merged, label, INSIDE)
    if isinstance(frozen, Frozen) and is_old(frozen.obj):
        chosen = frozen.obj
        if chosen is not merged and is_held(chosen):
            _mark(merged, label)
            _mark(chosen, label)


_RESULT = "the result"


def mark_label(label: str, result: Any) -> str:
    """The label under which `mark_copies` is to note what a branch has left in a variable.

    ``retval_`` has the value of a ``return`` in a loop. A branch that sets it ends the loop, as its result says: what
    it has copied may be changed in other turns.
    """
    if not label.startswith("retval_"):
        return label
    return "" if result is None or result is False else _RESULT


def _mark(obj: Any, label: str, why: tuple[str, str] = CHOSEN) -> None:
    """As `mark_copy`; what is noted of a loop's result takes nothing back that counts in its other turns."""
    if label != _RESULT or not is_copied(obj):
        mark_copy(obj, label, why)


def take_results(before: Container[int]) -> dict[int, tuple[Any, str, tuple[str, str]]]:
    """Takes away what has been noted of a loop's results since `before`: notes for after the loop, where all counts."""
    found = {key: mark for key, mark in copies().items() if mark[1] == _RESULT and key not in before}
    for key in found:
        del copies()[key]
    return {key: (obj, "", why) for key, (obj, _, why) in found.items()}


def is_copied(obj: Any) -> bool:
    """Whether a graph holds a copy of an object in a place that another turn of a loop may read."""
    mark = copies().get(id(obj))
    return mark is not None and mark[1] != _RESULT


def note_shared(labels: Sequence[str], values: Sequence[Any], frozen: Sequence[Any]) -> None:
    """Notes merged values that stand for one object in a branch, but have become objects of their own."""
    seen: dict[int, tuple[str, Any]] = {}
    for label, value, source in zip(labels, values, frozen, strict=True):
        for part, each in pairs(value, source):
            if isinstance(each, Frozen) and each.obj is not part:
                first_label, first = seen.setdefault(id(each.obj), (label, part))
                if first is not part:
                    is_result = _RESULT in (first_label, label)
                    _mark(first, _RESULT if is_result else first_label)
                    _mark(part, _RESULT if is_result else label)


def mark_chosen(labels: Sequence[str], values: Sequence[Any], frozen: Sequence[Any], before: Container[int]) -> None:
    """Notes merged values that may stand for objects which have been noted as copies, but for those noted `before`."""
    for label, value, source in zip(labels, values, frozen, strict=True):
        for part, each in pairs(value, source):
            if isinstance(each, Frozen) and each.obj is not part and id(each.obj) not in before:
                mark = copies().get(id(each.obj))
                if mark is not None and mark[0] is each.obj:
                    _mark(part, label, mark[2])


def pairs(merged: Any, frozen: Any) -> Iterator[tuple[Any, Any]]:
    """A merged value and its parts at any depth, each beside what it stands for; not those of the same object."""
    pending = [(merged, frozen)]
    while pending:
        merged, frozen = pending.pop()
        merged = merged.ag__value if isinstance(merged, Maybe) else merged
        frozen = frozen.ag__value if isinstance(frozen, Maybe) else frozen
        yield merged, frozen
        if not (isinstance(frozen, Frozen) and frozen.obj is merged):
            pending.extend(_pairs(merged, frozen))


def note_new(value: Any, known: dict[int, int]) -> None:
    """Notes what merging has made and can be changed: that is an affair of the body that does it."""
    value = value.ag__value if isinstance(value, Maybe) else value
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
    (keys, parts), (other_keys, others) = parts_of(merged), parts_of(frozen)
    by_key = dict(zip(other_keys, others, strict=True))
    return iter([(part, by_key[key]) for key, part in zip(keys, parts, strict=True) if key in by_key])


def roots() -> Iterator[Any]:
    """What the running functions, and bodies under trace, hold in variables, and the iterators of their loops."""
    for journal in stack():
        yield from journal.bodies
    for frame in _frames():
        if is_user_file(frame.f_code.co_filename):
            yield from frame.f_locals.values()
            yield from [frame.f_globals.get(name) for name in frame.f_code.co_names]
        elif frame.f_code is for_stmt.__code__:
            yield frame.f_locals.get("iterator")


def reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """Some objects, and what can be reached from them: through variables, closures, attributes, items and classes."""
    nothing = object()
    pending = list(roots)
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        each = pending.pop()
        if id(each) not in seen and not isinstance(each, _LEAVES):
            seen.add(id(each))
            yield each
            for _ in _holders_in(each, nothing, pending):
                pass


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != _ROOT:
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
    while pending and len(seen) < _MOST:
        each = pending.pop()
        if id(each) not in seen and not isinstance(each, _LEAVES):
            seen.add(id(each))
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
            called = getattr(holder, "__qualname__", None)
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
