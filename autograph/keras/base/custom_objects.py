"""Classes and functions of the user by name, so that configurations can mention them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import InvalidArgumentError

__all__ = [
    "CustomObjectScope", "custom_object_scope", "get_custom_objects", "get_registered_name", "get_registered_object",
    "register_keras_serializable",
]  # fmt: skip

_objects: dict[str, Any] = {}
_names: dict[Any, str] = {}


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: tuple[dict[str, Any], ...] = ()


_local = _Local()


def get_custom_objects() -> dict[str, Any]:
    """The table of all names that are known everywhere, which may be changed."""
    return _objects


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[Any], Any]:
    """Decorates a class or a function: configurations may mention it, as ``package>name``.

    ``name`` is its own name when left out. Raises `ValueError` for a class without `get_config`.
    """

    def register(item: Any) -> Any:
        if isinstance(item, type) and not hasattr(item, "get_config"):
            raise InvalidArgumentError("Cannot register a class that does not have a get_config() method.")
        full = f"{package}>{name or item.__name__}"
        _objects[full] = item
        _names[item] = full
        return item

    return register


def get_registered_name(obj: Any) -> str:
    """The name that a class or function was registered by; its own name when it was not."""
    return _names.get(obj) or obj.__name__


def get_registered_object(name: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """What a name stands for: in the scopes around, in the table, in ``custom_objects``; None when nowhere."""
    for table in (*reversed(_local.scopes), _objects, custom_objects or {}):
        if name in table:
            return table[name]
    return None


@contextlib.contextmanager
def custom_object_scope(custom_objects: dict[str, Any]) -> Iterator[None]:
    """``with custom_object_scope({"Mine": Mine}):`` names mean these objects inside."""
    before = _local.scopes
    _local.scopes = (*before, dict(custom_objects))
    try:
        yield
    finally:
        _local.scopes = before


CustomObjectScope = custom_object_scope
