"""Stores into an item of what an attribute, or an item of another container, holds: `o.a[i] = v`, `x[i][j] = v`.

A tensor can't be changed, so that the owner must get the new one; `set_item` does that for variables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from autograph.errors import StagedTypeError
from autograph.runtime.tensors.trace import user_location

from .attributes import get_attribute
from .dispatch import Thunk, active, backend_of, staging
from .staging.heap.array_memory import is_tensor
from .stores import get_item, kept, mut, operand_of, set_item, to_update


class Items:
    """The items of a container that its owner may have to replace. In plain Python the container stands for itself."""

    __slots__ = ("_container",)

    def __init__(self, container: object) -> None:
        self._container = container

    def __getitem__(self, index: object) -> Any:
        return get_item(self._container, index)

    def __setitem__(self, index: Any, value: object) -> None:
        if _set_in_element(value, self._owner_of_element(), self._container, index):
            return
        changed = set_item(value, self._container, index)
        if changed is not self._container:
            self._replace(changed)

    def _owner_of_element(self) -> tuple[Any, Any] | None:
        """What the container is an item of, if it is one, and the index."""
        return None

    def _replace(self, changed: object) -> None:
        raise NotImplementedError


class _ItemsOfAttribute(Items):
    __slots__ = ("_name", "_owner")

    def __init__(self, container: object, owner: object, name: str) -> None:
        super().__init__(container)
        self._owner = owner
        self._name = name

    def _replace(self, changed: object) -> None:
        setattr(mut(self._owner), self._name, changed)


class _ItemsOfItem(Items):
    __slots__ = ("_index", "_owner")

    def __init__(self, container: object, owner: object, index: object) -> None:
        super().__init__(container)
        self._owner = owner
        self._index = index

    def _owner_of_element(self) -> tuple[Any, Any] | None:
        return self._owner._container if isinstance(self._owner, Items) else self._owner, self._index

    def _replace(self, changed: object) -> None:
        if isinstance(self._owner, Items):
            self._owner[self._index] = changed
        elif set_item(changed, self._owner, self._index) is not self._owner:
            place = user_location()
            raise StagedTypeError(
                "an item of an item of a tensor is stored, as in `x[i][j] = v`; tensors are immutable, and what holds "
                "this one can't be given another",
                **({} if place is None else place._asdict()),
                construct="x[i][j] = v",
                remedy="write `x[i, j] = v`, or have the second index in a variable: `j = i + 1`",
            )


def _set_in_element(value: object, place: tuple[Any, Any] | None, array: object, index: object) -> bool:
    """Stores into an array that is an element of a list of which a graph holds copies; whether it is one."""
    backend = active() if place is not None and is_tensor(array) else None
    return backend is not None and place is not None and backend.set_in_element(value, *place, array, index)


def items_of_attribute(owner: object, name: str) -> Any:
    """What stands for ``owner.name`` in ``owner.name[i] = v`` and ``owner.name[i] += v``."""
    container = get_attribute(owner, name) if staging() else getattr(owner, name)
    if backend_of(container) is None and not staging():
        return container
    return _ItemsOfAttribute(container, owner, name)


def items_of_item(owner: object, index: object) -> Any:
    """What stands for ``owner[index]`` in ``owner[index][i] = v`` and ``owner[index][i] += v``."""
    container = owner[index] if isinstance(owner, Items) else get_item(owner, index)
    if backend_of(container) is None and not staging():
        return container
    return _ItemsOfItem(container, owner, index)


def set_inner_item(value: object, container: object, *indices: object, load: Thunk | None = None) -> Any:
    """``container[indices[0]][indices[1]]… = value``; returns the container, or the one in place of a tensor."""
    containers = _containers(container, indices)
    changed = _set_innermost(value, containers, indices)
    return changed if load is None else kept(load, container, changed)


def update_inner_item(
    container: object,
    operator: Callable[[Any, Any], Any],
    value: Thunk,
    *indices: object,
    load: Thunk | None = None,
) -> Any:
    """``container[indices[0]][indices[1]]… op= value()``; returns the container, or the one in place of a tensor."""
    containers = _containers(container, indices)
    item = to_update(get_item(containers[-1], indices[-1]))
    changed = _set_innermost(operator(item, operand_of(value, sys._getframe(1).f_code)), containers, indices)
    return changed if load is None else kept(load, container, changed)


def _containers(container: object, indices: tuple[Any, ...]) -> list[Any]:
    """A container and what it holds at some indices, one inside of the other, but for the last index."""
    containers = [container]
    for index in indices[:-1]:
        containers.append(get_item(containers[-1], index))
    return containers


def _set_innermost(changed: object, containers: list[Any], indices: tuple[Any, ...]) -> Any:
    if len(containers) > 1 and _set_in_element(changed, (containers[-2], indices[-2]), containers[-1], indices[-1]):
        return containers[0]
    for holder, index in zip(reversed(containers), reversed(indices), strict=True):
        replaced = set_item(changed, holder, index)
        if replaced is holder:
            return containers[0]
        changed = replaced
    return changed
