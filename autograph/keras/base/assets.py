"""What layers learn besides weights, such as vocabularies, in files of models.

A layer that has any gives it in ``get_assets()``, as arrays by name, and takes it in ``set_assets(arrays)``. In a file
an array goes by the place of its layer, behind ``assets/``; strings as the bytes of a JSON list.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .weights import layers_by_place

__all__ = ["load_assets", "named_assets"]

_PREFIX = "assets/"
_TEXT = ".json"


def named_assets(model: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of all layers, by place."""
    found: dict[str, Any] = {}
    for prefix, layer in layers_by_place(model):
        for name, array in getattr(layer, "get_assets", dict)().items():
            is_text = array.dtype == object
            found[f"{_PREFIX}{prefix}{name}{_TEXT if is_text else ''}"] = _as_bytes(array) if is_text else array
    return found


def load_assets(model: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Give layers their arrays; returns the arrays of a file that are no such."""
    for prefix, layer in layers_by_place(model):
        start = _PREFIX + prefix
        inside = {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
        own = {name: array for name, array in inside.items() if "/" not in name}
        if own and hasattr(layer, "set_assets"):
            layer.set_assets(dict(_decoded(name, array) for name, array in own.items()))
    return {name: array for name, array in arrays.items() if not name.startswith(_PREFIX)}


def _as_bytes(array: Any) -> Any:
    texts = [text.decode("utf-8", "surrogateescape") for text in array.tolist()]
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)


def _decoded(name: str, array: Any) -> tuple[str, Any]:
    return (name.removesuffix(_TEXT), json.loads(array.tobytes())) if name.endswith(_TEXT) else (name, array)
