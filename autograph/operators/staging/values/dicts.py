"""Dicts of which only the run tells what keys they hold: what a Python dict becomes when a branch adds or deletes one.

Such a dict knows all keys that it may hold. Each has a value, or a `Maybe` with a flag that says whether it is there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes, nest
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.tensors import trace_text

from ... import arithmetic
from ...variables import UNDEFINED
from .. import asked
from ..control.errors import require, where
from ..heap import aliases, heap
from ..heap.state import Mutable, about_to_change, created
from .maybe import Maybe
from .specs import Frozen, Mismatch, Optional, Spec, Tree, factory_of, refused_copy

_NOTHING: Any = object()


class DictState:
    """What a staged dict holds. Never changes."""

    __slots__ = ("is_ordered", "values")

    def __init__(self, values: Mapping[Any, Any], is_ordered: bool = True) -> None:
        self.values = dict(values)
        self.is_ordered = is_ordered
        """Whether the keys that are there at run time come in this order."""

    def mapped(self, function: Callable[[Any], Any]) -> DictState:
        """The same keys with other values."""
        return DictState({key: function(value) for key, value in self.values.items()}, self.is_ordered)

    def with_item(self, key: object, value: object) -> DictState:
        """With another value for a key, which is there afterwards."""
        old = self.values.get(key, UNDEFINED)
        # A key that was missing comes last, one that was there keeps its place.
        is_last = not _may_miss(old) or next(reversed(self.values)) == key
        return DictState({**self.values, key: value}, self.is_ordered and is_last)

    def without(self, key: object) -> DictState:
        """Without a key."""
        return DictState({each: value for each, value in self.values.items() if each != key}, self.is_ordered)

    @property
    def uncertain(self) -> list[Any]:
        """The keys that may be missing."""
        return [key for key, value in self.values.items() if _may_miss(value)]


def _may_miss(value: object) -> bool:
    return type(value) is Maybe and value.ag__missing is UNDEFINED


def _either(value: Maybe, other: object) -> Any:
    """A value that may be missing, and another one where it is."""
    return asked.IF_STMT.function(value.ag__flag, lambda: value.ag__value, lambda: other, ())


class DictOf(Spec):
    """A dict with some keys, each of which may be missing if its specification says so."""

    def __init__(self, keys: tuple[Any, ...], children: list[Spec], is_ordered: bool = True, kind: type = dict) -> None:
        self.keys = keys
        self.children = children
        self.is_ordered = is_ordered
        self.kind = kind

    def flatten(self, value: object, tensors: list[Any]) -> None:
        held = _held(value)
        for key, child in zip(self.keys, self.children, strict=True):
            child.flatten(held.get(key, UNDEFINED), tensors)

    def types(self) -> list[Type]:
        return [each for child in self.children for each in child.types()]

    def unflatten(self, tensors: Iterator[Any]) -> Any:
        if self.kind is not dict:
            raise refused_copy(self.kind)
        values = [child.unflatten(tensors) for child in self.children]
        return StagedDict(DictState(dict(zip(self.keys, values, strict=True)), self.is_ordered))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DictOf)
            and self.keys == other.keys
            and self.children == other.children
            and self.is_ordered == other.is_ordered
            and self.kind is other.kind
        )

    def __str__(self) -> str:
        maybe = [key for key, child in zip(self.keys, self.children, strict=True) if isinstance(child, Optional)]
        keys = ", ".join(map(repr, self.keys))
        return f"a {self.kind.__name__} with the keys {keys}, some of them in some runs only: {maybe}"


def _held(value: Any) -> Mapping[Any, Any]:
    while isinstance(value, Frozen):
        value = value.contents
    value = heap.form(value)
    value = value.state if isinstance(value, StagedDict) else value
    return value.values if isinstance(value, DictState) else value


def join_dicts(left: Spec, right: Spec, join: Callable[[Spec, Spec], Spec], opened_new: Callable[[Spec], Spec]) -> Spec:
    """The specification of a dict that is like one of two.

    Raises:
        Mismatch: one is no plain dict, their keys come in different orders, or the values of a key have no common
            specification.
    """
    sides = []
    for spec in (left, right):
        if not (isinstance(spec, (DictOf, Tree)) and spec.kind is dict):
            raise Mismatch(left, right)
        sides.append(dict(zip(spec.keys, spec.children, strict=True)))
    one, other = sides
    keys = _merged(list(one), list(other))
    if keys is None:
        raise Mismatch(left, right, reason="their keys are in different orders")
    children = []
    for key in keys:
        if key in one and key in other:
            try:
                children.append(join(one[key], other[key]))
            except Mismatch as error:
                raise error.inside(f"[{key!r}]") from None
        else:
            child = one[key] if key in one else other[key]
            is_optional = isinstance(child, Optional) and child.missing is UNDEFINED
            children.append(child if is_optional else Optional(UNDEFINED, opened_new(child), f"[{key!r}]"))
    is_ordered = all(spec.is_ordered for spec in (left, right) if isinstance(spec, DictOf))
    return DictOf(tuple(keys), children, is_ordered)


def _merged(left: list[Any], right: list[Any]) -> list[Any] | None:
    """The elements of both in an order that fits each; None when there is none."""
    common = set(left) & set(right)
    if [key for key in left if key in common] != [key for key in right if key in common]:
        return None
    result: list[Any] = []
    rest = iter(right)
    for key in left:
        if key in common:
            for other in rest:
                if other == key:
                    break
                result.append(other)
        result.append(key)
    return [*result, *rest]


class StagedDict(Mutable):
    """A dict in a graph. It has the methods of Python's dict; those that need to know all keys refuse what may miss."""

    __slots__ = ("_held", "name", "origin")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, state: DictState, name: str = "") -> None:
        self._held = state
        self.name = name
        self.origin = where()
        created(self)

    @property
    def state(self) -> DictState:
        """What it holds."""
        aliases.use(self)
        return self._held

    @classmethod
    def of(cls, values: Mapping[Any, Any], name: str = "") -> StagedDict:
        """A staged dict that holds what a Python dict holds."""
        return cls(DictState(values), name)

    def get_state(self) -> DictState:
        return self._held

    def set_state(self, state: Any) -> None:
        self._held = state.get_state() if isinstance(state, StagedDict) else state

    def change_to(self, state: DictState) -> None:
        about_to_change(self)
        self._held = state

    def contains(self, key: object) -> Any:
        """``key in self``: a bool, staged for a key that may be missing."""
        value = self.state.values.get(key, UNDEFINED)
        return value.ag__flag if _may_miss(value) else value is not UNDEFINED

    def length(self) -> Any:
        """The number of keys: an int, or a tensor, int32."""
        uncertain = self.state.uncertain
        length: Any = len(self.state.values) - len(uncertain)
        for key in uncertain:
            length = length + OPS["cast"](self.contains(key), dtype=dtypes.int32)
        return length

    def __getitem__(self, key: object) -> Any:
        value = self.state.values.get(key, UNDEFINED)
        if (value is UNDEFINED or _may_miss(value)) and hasattr(type(self.source), "__missing__"):
            return self._made_up(key)
        if value is UNDEFINED:
            raise KeyError(key)
        if _may_miss(value):
            require(value.ag__flag, KeyError(key))
            return value.ag__value
        return value

    def _made_up(self, key: object) -> Any:
        """What a key holds that may be missing, of a class that makes up what is."""
        maker = type(self.source).__missing__
        if maker is Counter.__missing__:
            return self.get(key, 0)
        factory = self.source.default_factory if maker is defaultdict.__missing__ else None
        if factory not in (int, float, bool):
            raise self._refused("a key that its class may have to make up")
        self[key] = self.get(key, factory())
        return self.state.values[key]

    def __setitem__(self, key: object, value: object) -> None:
        self.change_to(self.state.with_item(key, value))

    def __delitem__(self, key: object) -> None:
        self.pop(key)

    def get(self, key: object, default: object = None) -> Any:
        value = self.state.values.get(key, UNDEFINED)
        if not _may_miss(value):
            return default if value is UNDEFINED else value
        return _either(value, default)

    def pop(self, key: object, default: object = _NOTHING) -> Any:
        value = self[key] if default is _NOTHING else self.get(key, default)
        self.change_to(self.state.without(key))
        return value

    def setdefault(self, key: object, default: object = None) -> Any:
        value = self.state.values.get(key, UNDEFINED)
        if value is UNDEFINED or _may_miss(value):
            value = self.get(key, default)
            self[key] = value
        return value

    def update(self, *others: Any, **items: Any) -> None:
        """``dict.update``; a key that may be missing in the other dict is set only where it is there."""
        for other in others:
            if not isinstance(other, StagedDict):
                other = StagedDict.of(dict(other))
            for key, value in other.state.values.items():
                if not _may_miss(value):
                    self[key] = value
                elif not _may_miss(self.state.values.get(key, UNDEFINED)) and key in self.state.values:
                    self[key] = _either(value, self.state.values[key])
                else:
                    raise self._refused(f"an update by a dict that may lack the key {key!r}")
        for key, value in items.items():
            self[key] = value

    def clear(self) -> None:
        self.change_to(DictState({}))

    def copy(self) -> StagedDict:
        return StagedDict(self.state, self.name)

    def plain(self, use: str) -> dict[Any, Any]:
        """A Python dict of what it holds.

        Raises:
            StagedValueError: only the run tells which keys there are, or their order.
        """
        if self.state.uncertain or not self.state.is_ordered:
            raise self._refused(use)
        return dict(self.state.values)

    def keys(self) -> Any:
        return self.plain("keys()").keys()

    def values(self) -> Any:
        return self.plain("values()").values()

    def items(self) -> Any:
        return self.plain("items()").items()

    def popitem(self) -> Any:
        key = next(reversed(self.plain("popitem()")), UNDEFINED)
        if key is UNDEFINED:
            raise KeyError("popitem(): dictionary is empty")
        return key, self.pop(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.plain("iteration"))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.plain("reversed()"))

    def __len__(self) -> int:
        return len(self.plain("len() outside converted code"))

    def __bool__(self) -> bool:
        return len(self.state.uncertain) < len(self.state.values) or bool(self.plain("a test outside converted code"))

    def __contains__(self, key: object) -> bool:
        found = self.contains(key)
        if isinstance(found, bool):
            return found
        raise self._refused("`in` outside converted code")

    def __or__(self, other: object) -> Any:
        if not isinstance(other, (dict, StagedDict)):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        made = StagedDict.of(other, self.name)
        made.update(self)
        return made

    def __ior__(self, other: object) -> StagedDict:
        self.update(other)
        return self

    def __eq__(self, other: object) -> Any:
        return arithmetic.eq(*self._compared(other))

    def __ne__(self, other: object) -> Any:
        return arithmetic.ne(*self._compared(other))

    def _compared(self, other: object) -> tuple[Any, Any]:
        use = "a comparison"
        return self.plain(use), other.plain(use) if isinstance(other, StagedDict) else other

    fromkeys = staticmethod(dict.fromkeys)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'dict' object has no attribute {name!r}")

    def _refused(self, use: str, place: dict[str, Any] | None = None) -> StagedValueError:
        return StagedValueError(
            f"the dict{f' `{self.name}`' if self.name else ''} {self._lack()}; {use} can't be staged",
            **(place or where()),
            construct=use,
            remedy="give it all keys before the branch or loop, or ask for single keys: "
            "d[k], d.get(k, default), k in d",
        )

    def as_result(self) -> Any:
        """A Python dict of what it holds, for a traced function to return: one of its object's class.

        Raises:
            StagedValueError: only the run tells which keys there are, or their order.
        """
        if self.state.uncertain or not self.state.is_ordered:
            raise self._refused("returning it", self.origin)
        source = {} if self.source is None else self.source
        made = nest.dict_of(type(source), self.state.values.items(), factory_of(source))
        return nest.with_attributes(made, source)

    def _lack(self) -> str:
        uncertain = ", ".join(map(repr, self.state.uncertain))
        return f"has the key {uncertain} in some runs only" if uncertain else "has its keys in an order that varies"

    def __repr__(self) -> str:
        trace_text.check("a dict that may lack keys")
        return f"<staged dict {self.name or ''}: {', '.join(map(repr, self.state.values))}>"
