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
    assets: dict[str, dict[str, Any]] = {}
    others = {}
    for name, array in arrays.items():
        if name.startswith(_PREFIX):
            place, slash, own = name.removeprefix(_PREFIX).rpartition("/")
            assets.setdefault(place + slash, {}).update([_decoded(own, array)])
        else:
            others[name] = array
    for prefix, layer in layers_by_place(model):
        if prefix in assets and hasattr(layer, "set_assets"):
            layer.set_assets(assets[prefix])
    return others


def _as_bytes(array: Any) -> Any:
    texts = [text.decode("utf-8", "surrogateescape") for text in array.tolist()]
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)


def _decoded(name: str, array: Any) -> tuple[str, Any]:
    return (name.removesuffix(_TEXT), json.loads(array.tobytes())) if name.endswith(_TEXT) else (name, array)
