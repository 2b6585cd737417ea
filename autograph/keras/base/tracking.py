"""What a layer consists of: the variables, layers and metrics that its attributes hold, also in lists and dicts.

Attributes are looked through when somebody asks, in the order in which they were set, so that lists may grow and
attributes change at any time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from autograph.runtime.base.pickling.carried import Travelling
from autograph.runtime.state.variable import Variable

from ..metrics import Metric

if TYPE_CHECKING:
    from .layer import Layer

__all__ = [
    "Record",
    "all_layers",
    "flat_layers",
    "layers_by_attribute",
    "note_layers",
    "own_layers",
    "own_metrics",
    "own_variables",
    "record_of",
    "unique",
]


_numbers = itertools.count()


class Record:
    """What the library keeps about a layer; the layer's other attributes are the user's.

    ``weights``: the variables made by `add_weight`; ``states``: those of a stateful recurrent layer;
    ``initial``: first values for the weights of a layer that is not built yet;
    ``layers``: those that a container was given; ``noted``: those that attributes were set to, in this order;
    ``number``: in which layers were made;
    ``nodes``: the symbolic calls; ``losses``: what was added in the outermost call of number ``loss_call``;
    ``last_call``: the number of the last call in which the layer itself was outermost; ``call_arguments``: of a model,
    what it was first called with, with specs for tensors; ``calling``: the function that was saved last.
    """

    def __init__(self) -> None:
        self.ready = False
        self.name = ""
        self.path = ""
        self.built = False
        self.trainable = True
        self.autocast = True
        self.dtype: Any = None
        self.input_spec: Any = None
        self.input_shape: Any = None
        self.build_shape: Any = None
        self.call_arguments: Any = None
        self.calling: Any = None
        self.supports_masking = False
        self.activity_regularizer: Any = None
        self.signature: Any = None
        self.staged = False
        self.arguments: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self.weights: list[Any] = []
        self.states: list[Any] = []
        self.initial: Any = None
        self.frozen: list[Any] = []
        self.layers: list[Any] = []
        self.noted: list[Any] = []
        self.number = next(_numbers)
        self.nodes: list[Any] = []
        self.losses: list[Any] = []
        self.loss_call = 0
        self.last_call = 0
        self.output_shapes: list[Any] = []
        # Of models: the symbolic calls they are made of, the symbolic input of a Sequential, what compile was given.
        self.graph: Any = None
        self.input: Any = None
        self.compiled: Any = None
        self.strategy: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "calling": None}  # traces are made anew


def unique(items: Iterable[Any]) -> list[Any]:
    """The items, each object once."""
    return list({id(item): item for item in items}.values())


def _leaves(value: object, seen: set[int]) -> Iterator[Any]:
    if isinstance(value, (list, tuple, Mapping)):
        if id(value) not in seen:
            seen.add(id(value))
            for item in value.values() if isinstance(value, Mapping) else value:
                yield from _leaves(item, seen)
    else:
        yield value


def _parts(layer: Layer, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    seen: set[int] = set()
    for value in list(vars(layer).values()):
        yield from (leaf for leaf in _leaves(value, seen) if wanted(leaf))


class Tracked(Travelling):
    """What `Layer` derives from: an attribute that holds one has a layer."""

    _record: Record


def record_of(layer: Tracked) -> Record:
    """What the library keeps about a layer."""
    return layer._record


def own_variables(layer: Any) -> list[Any]:
    """The variables of the layer itself: made by `add_weight`, then those that attributes hold."""
    return unique([*layer._record.weights, *_parts(layer, lambda leaf: isinstance(leaf, Variable))])


def own_layers(layer: Any) -> list[Any]:
    """The layers that a layer holds directly, in the order in which it got them."""
    record = layer._record
    found = layers_by_attribute(layer)
    if not record.noted:
        return found
    places = {id(each): place for place, each in enumerate(record.layers + record.noted)}
    return sorted(found, key=lambda each: (places.get(id(each), len(places)), each._record.number))


def layers_by_attribute(layer: Any) -> list[Any]:
    """The layers that a layer holds directly, in the order of its attributes, as files in safetensors have them."""
    return unique(
        [*layer._record.layers, *_parts(layer, lambda leaf: isinstance(leaf, Tracked) and leaf is not layer)]
    )


def note_layers(layer: Any, value: object) -> None:
    """Remember the order of a layer's layers, before an attribute is set to a value.

    Those that lists have got in the meantime come first, as they were made.
    """
    new = [leaf for leaf in _leaves(value, set()) if isinstance(leaf, Tracked) and leaf is not layer]
    if new:
        noted = layer._record.noted
        before = sorted(_parts(layer, lambda leaf: isinstance(leaf, Tracked)), key=lambda each: each._record.number)
        known = {id(each) for each in noted}
        noted += [each for each in unique([*before, *new]) if id(each) not in known and each is not layer]


def own_metrics(layer: Layer) -> list[Any]:
    """The metrics that a layer holds directly."""
    return unique(_parts(layer, lambda leaf: isinstance(leaf, Metric)))


def all_layers(layer: object, seen: set[int] | None = None) -> Iterator[Any]:
    """The layer and all layers in it, outer ones first, each once."""
    seen = set() if seen is None else seen
    if id(layer) not in seen:
        seen.add(id(layer))
        yield layer
        for part in own_layers(layer):
            yield from all_layers(part, seen)


def flat_layers(layer: Layer) -> list[Any]:
    """All layers in a layer, without itself."""
    return list(all_layers(layer))[1:]
