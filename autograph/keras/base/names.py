"""The names of layers and weights: one counter for each class, and paths through the layers that hold them."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from .registry import snake_case

if TYPE_CHECKING:
    from .layer import Layer

__all__ = ["auto_name", "clear_session", "current_path", "inside"]

_counts: Counter[str] = Counter()


class _Local(threading.local):
    def __init__(self) -> None:
        self.path: tuple[str, ...] = ()
        self.owner: Any = None


_local = _Local()


def auto_name(class_name: str) -> str:
    """A name for the next object of a class: ``dense``, then ``dense_1`` …"""
    name = snake_case(class_name)
    number = _counts[name]
    _counts[name] += 1
    return f"{name}_{number}" if number else name


def clear_session(free_memory: bool = True) -> None:
    """Begin again with the names of layers: the next `Dense` is ``dense``."""
    _counts.clear()


def current_path(name: str = "") -> str:
    """A name behind those of the layers that are being built or called: ``model/dense/kernel``."""
    return "/".join((*_local.path, name) if name else _local.path)


class inside:
    """``with inside(layer):`` paths made inside begin with the layer's name."""

    __slots__ = ("before", "layer")

    def __init__(self, layer: Layer) -> None:
        self.layer = layer

    def __enter__(self) -> None:
        local = _local
        self.before = local.path, local.owner
        if local.owner is not self.layer:
            local.path, local.owner = (*local.path, self.layer.name), self.layer

    def __exit__(self, *_: object) -> None:
        _local.path, _local.owner = self.before
