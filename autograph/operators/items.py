"""Stores into an item of what an attribute, or an item of another container, holds: `o.a[i] = v`, `x[i][j] = v`.

A tensor can't be changed, so that the owner must get the new one; `set_item` does that for variables.
"""

from __future__ import annotations

from typing import Any

from .dispatch import backend_of, staging
from .stores import get_item, mut, set_item


class Items:
    """The items of a container that its owner may have to replace. In plain Python the container stands for itself."""

    __slots__ = ("_container",)

    def __init__(self, container: Any) -> None:
        self._container = container

    def __getitem__(self, index: Any) -> Any:
        return get_item(self._container, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        changed = set_item(value, self._container, index)
        if changed is not self._container:
            self._replace(changed)

    def _replace(self, changed: Any) -> None:
        raise NotImplementedError


class _ItemsOfAttribute(Items):
    __slots__ = ("_name", "_owner")

    def __init__(self, container: Any, owner: Any, name: str) -> None:
        super().__init__(container)
        self._owner = owner
        self._name = name

    def _replace(self, changed: Any) -> None:
        setattr(mut(self._owner), self._name, changed)


class _ItemsOfItem(Items):
    __slots__ = ("_index", "_owner")

    def __init__(self, container: Any, owner: Any, index: Any) -> None:
        super().__init__(container)
        self._owner = owner
        self._index = index

    def _replace(self, changed: Any) -> None:
        if backend_of(self._owner) is not None:
            # There is no variable that could get the new tensor: its own item store says what to write instead.
            self._owner[self._index] = changed
        set_item(changed, self._owner, self._index)


def items_of_attribute(owner: Any, name: str) -> Any:
    """What stands for ``owner.name`` in ``owner.name[i] = v`` and ``owner.name[i] += v``."""
    container = getattr(owner, name)
    if backend_of(container) is None and not staging():
        return container
    return _ItemsOfAttribute(container, owner, name)


def items_of_item(owner: Any, index: Any) -> Any:
    """What stands for ``owner[index]`` in ``owner[index][i] = v`` and ``owner[index][i] += v``."""
    container = get_item(owner, index)
    if backend_of(container) is None and not staging():
        return container
    return _ItemsOfItem(container, owner, index)


def set_inner_item(value: Any, container: Any, *indices: Any) -> Any:
    """``container[indices[0]][indices[1]]… = value``; returns the container, or the one in place of a tensor."""
    index, *rest = indices
    if not rest:
        return set_item(value, container, index)
    inner = get_item(container, index)
    changed = set_inner_item(value, inner, *rest)
    return container if changed is inner else set_item(changed, container, index)
