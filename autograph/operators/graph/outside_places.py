"""Places outside a traced function that it changes: its graph reads them as it starts and writes them as it ends."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime import convert, dtypes, trace
from autograph.runtime.arguments import key_of
from autograph.runtime.ir import Graph, Node, Value
from autograph.runtime.ops.host import PY_FUNCTION
from autograph.runtime.ops.shape import ensure_shape
from autograph.runtime.tensor import EagerTensor

from ..state import Attribute, Item, Location
from ..variables import UNDEFINED
from . import memory
from .chosen import Chosen
from .dicts import StagedDict
from .errors import where
from .join import join
from .lists import StagedList, kind_of
from .maybe import Maybe
from .refusals import changed_constant, changed_place
from .specs import Constant, Leaf, Mismatch, Optional, Spec
from .values import exported, freeze, spec_of, varying

Key = tuple[Any, ...]


class OutsidePlace:
    """A place outside the traced function that the graph reads and writes."""

    def __init__(self, location: Location, spec: Spec, initial: Any) -> None:
        self.location = location
        self.spec = spec
        self.initial = initial
        self.is_constant = False
        """Whether runs can't read it, as it has held what no tensor can stand for together with what they write."""
        self.is_read = False
        self.reads: Node | None = None
        self._find = _finder(location)

    @property
    def may_miss(self) -> bool:
        """Whether it is an item of a dict that is read, but may not be there."""
        is_maybe = isinstance(self.spec, Optional) and self.spec.missing is UNDEFINED
        return is_maybe and isinstance(self.location, Item)

    def read(self) -> Any:
        """Stages reading the place; returns the staged value."""
        find, spec, label, place = self._find, self.spec, self.location.label, where()

        def read() -> Any:
            tensors: list[Any] = []
            value = freeze(find().get(), lambda _: False)
            if not _fits(value, spec):
                raise changed_place(label, spec, spec_of(value), place)
            spec.flatten(value, tensors)
            return tensors[0] if len(tensors) == 1 else tensors

        types = spec.types()
        dtypes = tuple(each.dtype for each in types)
        outputs = trace.apply(PY_FUNCTION, name="read", function=read, types=dtypes, eager=True)
        self.reads = outputs[0].value.node if outputs else None
        return spec.unflatten(
            iter([ensure_shape(output, each.shape) for output, each in zip(outputs, types, strict=True)])
        )

    def guard(self, graph: Graph) -> None:
        """Has later calls traced again, and runs of this trace refused, when the place holds something else."""
        find, label, key = self._find, self.location.label, key_of(self.initial, [])
        error = changed_constant(label, self.initial)

        def check() -> None:
            if key_of(find().get(), []) != key:
                raise error

        graph.outside[self.location.key] = lambda: (label, find().get())
        trace.apply(PY_FUNCTION, name="check", function=check, types=(), eager=True)

    def read_for(self, initial: Any) -> Any:
        """As `read`, for what stands for an array."""
        value = self.read()
        held = memory.of(initial) if isinstance(initial, np.ndarray) else None
        if held is not None:
            memory.register(value, held)
        return value

    def write(self, value: Any, in_place: bool) -> None:
        """Stages writing the place; ``in_place``: the array that it holds, which keeps its other names."""
        find, spec = self._find, self.spec

        def write(*tensors: Any) -> None:
            location, made = find(), _resolved(spec.unflatten(iter(tensors)))
            if in_place and isinstance(location.get(), np.ndarray):
                np.copyto(location.get(), made.numpy())
            else:
                location.set(made)

        write.writes_outside = True  # type: ignore[attr-defined]
        tensors: list[Any] = []
        spec.flatten(value, tensors)
        trace.apply(PY_FUNCTION, *tensors, name="write", function=write, types=(), eager=True)


def _fits(value: Any, spec: Spec) -> bool:
    """Whether what a place holds before a run is of the kind that the trace has been made for."""
    if isinstance(spec, Leaf) and isinstance(value, EagerTensor) and value.dtype is spec.dtype:
        return True
    try:
        return join(spec, spec_of(value)).types() == spec.types()
    except Mismatch:
        return False


def _finder(location: Location) -> Callable[[], Location]:
    """What gives the place again when the graph runs; the graph of a method doesn't keep its object alive."""
    if not isinstance(location, Attribute):
        return lambda: location
    try:
        owner, name, prefix = weakref.ref(location.owner), location.name, location.prefix
    except TypeError:
        return lambda: location

    def find() -> Location:
        held = owner()
        # What is gone, nobody sees: a class that the function has made for itself is collected at some time.
        return Attribute(SimpleNamespace() if held is None else held, name, prefix)

    return find


def _resolved(value: Any) -> Any:
    """A value of a run: what may be missing is there or not."""
    if isinstance(value, Maybe):
        return _resolved(value.ag__value) if bool(value.ag__flag) else value.ag__missing
    if isinstance(value, StagedList):
        return kind_of(value)(convert.convert_to_tensor(value))
    if isinstance(value, Chosen):
        return value.resolved()
    if isinstance(value, StagedDict):
        held = {key: _resolved(part) for key, part in value.state.values.items()}
        return {key: part for key, part in held.items() if part is not UNDEFINED}
    return value


def _with_lists_of_one_length(spec: Spec, location: Location) -> Spec:
    """A specification of what the graph reads at its start.

    Raises:
        MutationError: there is a list in it whose length differs from run to run.
    """
    if any(each.dtype is dtypes.variant for each in spec.types()):
        raise MutationError(
            f"`{location.label}` outlives this function, and holds a list whose length differs from run to run",
            **where(),
            construct=location.label,
            remedy="return the list, or keep a tensor: tf.concat([values, [x]], axis=0)",
        )
    return spec


def _can_be_read(location: Location) -> bool:
    """Whether the graph can ask at its start whether a place holds something: of dicts only Python's own."""
    return not isinstance(location, Item) or type(location.owner) is dict


def widen(places: dict[Key, OutsidePlace], key: Key, location: Location, old: Any, new: Any, is_read: bool) -> bool:
    """Makes the specification of a place hold a value; whether it did so already, or doesn't have to."""
    place = places.get(key)
    spec = exported(new)
    if place is None:
        made = places[key] = OutsidePlace(location, spec, old)
        if is_read and (old is not UNDEFINED or _can_be_read(location)):
            try:
                joined = join(spec_of(freeze(old, lambda _: False)), spec)
                if isinstance(joined, Optional) and isinstance(joined.inner, Constant):  # it may be another number
                    joined = join(varying(old), spec)
                made.spec = _with_lists_of_one_length(joined, location)
                made.is_read = True
            except Mismatch:
                made.is_constant = True
        return not (made.is_read or made.is_constant)
    wider = _with_lists_of_one_length(join(place.spec, spec), location)
    stable = wider == place.spec
    place.spec = wider
    return stable


def drop_unused_reads(graph: Graph, places: dict[Key, OutsidePlace], result: set[Value]) -> None:
    """Removes the nodes that read places in vain; ``result`` are the values that the function returns."""
    used = result | {value for node in graph.nodes for value in node.inputs}
    for place in places.values():
        node = place.reads
        if node is not None and node in graph.nodes:
            shaped = [each for each in graph.nodes if any(value in node.outputs for value in each.inputs)]
            if not any(output in used for each in shaped for output in each.outputs):
                for each in (*shaped, node):
                    graph.nodes.remove(each)
