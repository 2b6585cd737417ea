"""Where Keras's files have the variables of a model.

A file follows the attributes through which a model holds its parts, those with an underscore last. A layer in an
attribute goes by the attribute's name, ``encoder/vars/0``. One in a list, tuple or dict goes by its class, numbered
within it: ``blocks/dense_1/vars/0``; a list in a list is a ``container``. The layers of a functional or sequential
model, and of other models those that no attribute before has, are in ``layers``. What several ways lead to has the
place of the first.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..base.layer import Layer
from ..base.registry import snake_case
from ..base.tracking import own_variables, record_of
from ..formulas.optimizer_variables import VariablesOfOptimizer
from ..layers.features.index_lookup import IndexLookup
from ..layers.features.text import TextVectorization
from ..metrics import Metric
from ..networks.model import Functional, Model
from ..networks.sequential import Sequential

__all__ = ["Part", "parts_by_place", "saved_variables"]

Container = list[Any] | tuple[Any, ...] | dict[Any, Any]
Part = Any
"""A layer, a model or an optimizer."""

_LIBRARY = "autograph."


def parts_by_place(part: Part, place: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Part]]:
    """A model and all of its parts, each once, with their places: ``""``, ``"layers/dense"``.

    ``seen`` are the identities of parts to leave out, with all that they hold.
    """
    seen = set() if seen is None else seen
    if id(part) in seen:
        return
    seen.add(id(part))
    yield place, part
    for name, value in _children(part):
        inner = f"{place}/{name}" if place else name
        if _is_part(value):
            yield from parts_by_place(value, inner, seen)
        elif isinstance(value, (list, tuple, dict)):
            yield from _in_container(value, inner, seen, set())


def _in_container(container: Container, place: str, seen: set[int], containers: set[int]) -> Iterator[tuple[str, Part]]:
    if id(container) in containers:
        return
    containers.add(id(container))
    counts: Counter[str] = Counter()
    for item in list(container.values()) if isinstance(container, dict) else container:
        is_part = _is_part(item)
        if not is_part and not isinstance(item, (list, tuple, dict)):
            continue
        name = snake_case(type(item).__name__) if is_part else "container"
        inner = f"{place}/{name}{f'_{counts[name]}' if counts[name] else ''}"
        counts[name] += 1
        if is_part:
            yield from parts_by_place(item, inner, seen)
        else:
            yield from _in_container(item, inner, seen, containers)


def _is_part(value: object) -> bool:
    return isinstance(value, (Layer, VariablesOfOptimizer, Metric))


def _children(part: Part) -> Iterator[tuple[str, Any]]:
    """The attributes of a part that may hold others, by name, in the order of the file."""
    if isinstance(part, Metric):
        return
    names = set(vars(part)) | _names_of_users(type(part))
    if isinstance(part, (Sequential, Functional)):
        yield "layers", part.layers
    elif isinstance(part, Model):
        names.add("layers")
    if isinstance(part, Model) and part.compiled:
        names.add("optimizer")
    hidden = set(dir(Layer)) if isinstance(part, Layer) else set()
    for name in sorted(names - hidden, key=lambda name: f"~{name}" if name.startswith("_") else name):
        if name.startswith("__") or name == "_record":
            continue
        with contextlib.suppress(Exception):  # a property of the user's class that has nothing to give yet
            yield name, getattr(part, name)


def _names_of_users(kind: type) -> set[str]:
    """What the classes of users have themselves: attributes and properties may give layers."""
    return {name for each in kind.__mro__ if not each.__module__.startswith(_LIBRARY) and each is not object
            for name in vars(each)}  # fmt: skip


# Variables


def saved_variables(part: Part) -> dict[str, Any]:
    """The variables that a part has itself, by the names that they have in its group."""
    if isinstance(part, VariablesOfOptimizer):
        return {str(number): variable for number, variable in enumerate(part.variables)}
    if isinstance(part, (IndexLookup, TextVectorization)):
        lookup = vars(part).get("_lookup_layer", part)
        return {} if lookup.idf_weights is None else {"idf_weights": IdfWeights(lookup)}
    if not isinstance(part, Layer):
        return {}
    return {str(number): variable for number, variable in enumerate(_in_order(part))}


def _in_order(layer: Layer) -> list[Any]:
    """The variables of a layer, first those that were made to be trained, as they were made."""
    record = record_of(layer)
    found = [each for each in own_variables(layer) if not any(each is state for state in record.states)]
    found.sort(key=lambda each: getattr(each, "number", math.inf))
    frozen = {id(each) for each in record.frozen}
    return sorted(found, key=lambda each: not (each.trainable or id(each) in frozen))


class IdfWeights:
    """The weights that a layer of words has for its tokens, as a variable."""

    def __init__(self, layer: IndexLookup) -> None:
        self.layer = layer
        self.path = f"{layer.name}/idf_weights"

    @property
    def array(self) -> Any:
        return self.layer.idf_weights
