"""Staged forms of lists and dicts, and what Python's own methods read and set of them."""

from __future__ import annotations

import operator
from collections import OrderedDict
from types import FunctionType, MappingProxyType
from typing import Any

from ...data_model.by_type import ByType

VIEWS: tuple[type[Any], ...] = (type({}.keys()), type({}.values()), type({}.items()), MappingProxyType)
"""The classes of Python's views of dicts."""


class _Operand:
    """Gives the mapping that a proxy is one of: `|` hands it on to the other operand."""

    def __ror__(self, mapping: object) -> Any:
        return mapping


_OPERAND: Any = _Operand()


def viewed(view: Any) -> Any:
    """The mapping that a view is one of."""
    return (view if isinstance(view, MappingProxyType) else view.mapping) | _OPERAND


def view_of(mapping: Any, view: object) -> Any:
    """A view of a mapping that is like a view of another one."""
    if isinstance(view, MappingProxyType):
        return MappingProxyType(mapping)
    return getattr(mapping, type(view).__name__.rpartition("_")[2])()


# Past the methods of the user's classes, which may do something else.


def contents_of(container: Any) -> Any:
    """A copy of a list or dict: of one of a user's class, the items alone."""
    if not is_of_own_class(container):
        return container.copy()
    return list.copy(container) if isinstance(container, list) else dict(_base_of(container).items(container))


def held_by(value: Any) -> Any:
    """What is in a list, tuple or dict, which is looked at alone: that itself, if it is of a class of Python's."""
    if is_of_own_class(value):
        return contents_of(value)
    return tuple.__getitem__(value, slice(None)) if isinstance(value, tuple) else value


def set_contents(container: Any, contents: Any) -> None:
    """Gives a list or dict other items; what a dict has already stays there, as others may look at it meanwhile."""
    if isinstance(container, list):
        list.__setitem__(container, slice(None), contents)
        return
    base = _base_of(container)
    contents = dict(_base_of(contents).items(contents))
    kept = [key for key in base.keys(container) if key in contents]
    if kept != list(contents)[: len(kept)]:  # in another order
        kept = []
    known = set(kept)
    for key in [key for key in base.keys(container) if key not in known]:
        base.__delitem__(container, key)
    for key, value in contents.items():
        if key not in known or base.__getitem__(container, key) is not value:
            base.__setitem__(container, key, value)


def holds(container: Any, contents: Any) -> bool:
    """Whether a list or dict holds the very objects that a copy of it does, in their order."""
    if isinstance(container, list):
        return _are_same(container, contents)
    base, other = _base_of(container), _base_of(contents)
    keys = _are_same(list(base.keys(container)), list(other.keys(contents)))
    return keys and _are_same(list(base.values(container)), list(other.values(contents)))


def _are_same(one: list[Any], other: list[Any]) -> bool:
    return list.__len__(one) == len(other) and all(map(operator.is_, list.__iter__(one), other))


def set_item(container: Any, key: Any, value: Any) -> None:
    """Gives a list or dict an item."""
    (list if isinstance(container, list) else _base_of(container)).__setitem__(container, key, value)


def drop_key(container: Any, key: Any) -> None:
    """Takes a key out of a dict, if it is there."""
    if dict.__contains__(container, key):
        _base_of(container).__delitem__(container, key)


def _base_of(container: object) -> Any:
    return OrderedDict if isinstance(container, OrderedDict) else dict


def is_of_own_class(container: object) -> bool:
    """Whether a list or dict is of a class other than those of Python and of `collections`."""
    return isinstance(container, (list, dict)) and type(container).__module__ not in ("builtins", "collections")


@ByType
def own_methods(cls: type) -> list[str]:
    """The special methods by which objects of a class of lists or dicts may show something else than what they hold."""
    own = [each for each in cls.__mro__ if each.__module__ not in ("builtins", "collections")]
    names = {name for each in own for name, found in vars(each).items() if isinstance(found, FunctionType)}
    return sorted(name for name in names if name.startswith("__") and name.endswith("__") and name not in _NOT_SHOWING)


_NOT_SHOWING = frozenset((
    "__call__", "__delattr__", "__enter__", "__exit__", "__getattr__", "__getattribute__", "__hash__", "__init__",
    "__init_subclass__", "__new__", "__setattr__",
))  # fmt: skip


class Form:
    """A base of staged forms, and of staged values that are like them but have no Python object."""

    __slots__ = ("_source",)

    @property
    def source(self) -> Any:
        """The list or dict that this is the staged form of; None if of none."""
        try:
            return self._source
        except AttributeError:
            return None

    @source.setter
    def source(self, obj: object) -> None:
        self._source = obj

    def check_update_of_a_set(self, symbol: str) -> None:
        """Refuses ``s |= x``, or the like, of a set of Python, which has no staged form, with what stands here."""


def original(value: object) -> Any:
    """The list or dict that a staged form is one of; anything else as it is."""
    found = value.source if isinstance(value, Form) else None
    return value if found is None else found
