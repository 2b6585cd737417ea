"""`is`, comparisons and keys, where an object may be another one (see `aliases`) or hold what a run alone knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.tensors.trace import user_location

from ...data_model.raw_attributes import raw_attribute
from ...data_model.special_methods import is_user_class
from ...dispatch import active, open_traces
from . import alias_paths, aliases, heap, state
from .array_memory import is_array, is_tensor, is_whole
from .decisions import Decision
from .forms import original
from .locations import Mutable

_TABLES = (dict, set, frozenset)
_PLAIN = frozenset((int, str, float, bool, bytes, type(None)))


def same(left: object, right: object) -> Any:
    """``left is right``: a bool, staged where a staged condition has chosen one of them.

    Raises:
        StagedValueError: not even the graph could tell.
    """
    left, right = original(left), original(right)
    if left is right:
        return True
    if is_array(left) and is_array(right):
        return _same_array(left, right)
    may_be_same = type(left) is type(right) or isinstance(left, Mutable) or isinstance(right, Mutable)
    return _answered(_are_one(left, right) if may_be_same else False, left, right)


def _same_array(left: object, right: object) -> Any:
    """Whether two arrays are one, which are two in Python while tracing."""
    if not (is_tensor(left) or is_tensor(right)):
        return False
    found = alias_paths.may_be_same(left, right)
    is_sure = is_whole(left) and is_whole(right)
    return _answered(found if is_sure or found is False else None, left, right)


def _answered(found: Decision | None, left: object, right: object) -> Any:
    """A decision as a bool, staged where only the graph knows it.

    Raises:
        StagedValueError: not even the graph could tell.
    """
    if found is not None:
        backend = active()
        return found if isinstance(found, bool) or backend is None else backend.decided(found)
    raise StagedValueError(
        f"whether two objects of class `{_class_of(left, right)}` are the same one is asked, of which a staged "
        "condition or loop has chosen one; a graph has copies of their attributes",
        **_where(),
        construct="is",
        remedy="give the objects a number that tells them apart, and compare that; or compare in the branches",
    )


def _are_one(left: object, right: object) -> Decision | None:
    if any(isinstance(each, Mutable) and each.is_element for each in (left, right)):
        return None if all(isinstance(each, (list, Mutable)) for each in (left, right)) else False
    return alias_paths.may_be_same(left, right)


def _class_of(left: object, right: object) -> str:
    name = type(right if isinstance(left, Mutable) else left).__name__
    staged = isinstance(left, Mutable) and isinstance(right, Mutable)
    return name.removeprefix("Staged").removesuffix("Element").lower() if staged else name


def check_key(container: object, key: object) -> None:
    """Refuses an object as a key of a dict or set, where the key would be the object that it stands for.

    While a graph is built, what the methods by which it is compared may change is noted.

    Raises:
        StagedValueError: it is one that merging has made.
    """
    if not isinstance(container, _TABLES):
        return
    if open_traces and type(key) not in _PLAIN:
        backend = active()
        if backend is not None:
            backend.note_key(key)
    if type(key).__hash__ is object.__hash__ and aliases.has_others(key):
        raise StagedValueError(
            f"an object of class `{type(key).__name__}` that a staged condition or loop has chosen is used as a "
            "key, which needs to know which one it is",
            **_where(),
            construct="dict",
            remedy="use a number or a string of the object as key, or look it up in the branches",
        )


def checking_key(table: object, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a dict or set that takes a key, or an element, as its first argument."""
    if not aliases.any_known():
        return function

    def checked(*arguments: object, **keywords: object) -> Any:
        for each in arguments[:1]:
            check_key(table, each)
        return function(*arguments, **keywords)

    return checked


def _where() -> dict[str, Any]:
    place = user_location()
    return {} if place is None else place._asdict()


def refuse_held(value: object) -> None:
    """Refuses an object that code in C, or of a library, is about to look at as a whole, where the graph has what a
    list or dict in it holds: it would find the item that stands in its place, and compare or measure that.

    Such stand in objects that the trace has made, besides containers.

    Raises:
        StagedValueError: it holds one.
    """
    pending: list[Any] = [value]
    seen: set[int] = set()
    while heap.open_forms and pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        heap.refuse_staged(each)
        if isinstance(each, (list, tuple, deque)):
            pending.extend(each)
        elif isinstance(each, dict):
            pending.extend(each.values())
        elif not is_user_class(type(each)) and any(journal.is_created(each) for journal in state.stack()):
            pending.extend(raw_attribute(each, "__dict__", {}).values())


def refuse_compared(*values: object) -> None:
    """Refuses such objects among some that Python is about to compare or to search, but for lists, tuples and dicts,
    whose parts are compared where they are staged."""
    for each in values if heap.open_forms else ():
        if not isinstance(each, (list, tuple, dict)):
            refuse_held(each)


def length(value: Any) -> int:
    """``len`` of what has no staged form itself."""
    if not isinstance(value, deque):
        refuse_compared(value)
    return len(value)
