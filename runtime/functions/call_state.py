"""The state of traced functions: places outside of them that a call reads before its graph runs, and writes after it.

Attributes, items, globals and variables of enclosing functions are no part of a graph: what such a place holds is a
parameter of the graph behind those of the arguments, and what it is to hold is an output behind the results. So the
graph computes and does nothing else. Called in a trace, it takes what the places hold at that point of the trace, and
the trace goes on with what it gives.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ir.notes import Note
from ..tensors.convert import wrap
from ..tensors.front_half import PLACE_OF

if TYPE_CHECKING:
    from ..ir.graph import Graph, Value
    from .guards import Guard

__all__ = [
    "MISSING", "OUTSIDE", "Outside", "SavedPlace", "StatePlace", "arguments", "finish", "given", "place_of", "read",
    "results", "running", "state_of", "taken", "write",
]  # fmt: skip


class StatePlace(abc.ABC):
    """A place outside a traced function that runs of its graph read or write.

    Attributes
    ----------
    label: the place as the user writes it: ``self.count``.
    inputs: the parameters of the graph that stand for what it holds before a run; none, if no run reads it.
    outputs: the outputs of the graph for what it holds after a run; none, if no run writes it.
    """

    label: str
    inputs: Sequence[Value] = ()
    outputs: Sequence[Value] | None = None
    where: Mapping[str, Any] = {}
    """The user's place, as the keywords of an `AutographError`."""
    is_guard = False
    """Whether runs only ask that it still holds what it held when the function was traced."""

    @property
    def writes(self) -> bool:
        """Whether runs write the place (maybe something that consists of no tensors)."""
        return self.outputs is not None

    @abc.abstractmethod
    def read(self) -> Sequence[Any]:
        """The eager tensors for ``inputs``. Raises `MutationError` when the place holds what they can't stand for."""

    @abc.abstractmethod
    def start(self) -> Sequence[Any]:
        """While the graph is made: the tensors for ``inputs`` of what the place held before."""

    @abc.abstractmethod
    def write(self, tensors: Sequence[Any]) -> None:
        """Set the place to what eager tensors for ``outputs`` stand for."""

    @abc.abstractmethod
    def taken(self) -> Sequence[Any] | None:
        """While another function is traced: tensors for ``inputs``; None where the place can't be passed on."""

    @abc.abstractmethod
    def given(self, tensors: Sequence[Any]) -> None:
        """While another function is traced: set the place, to what tensors of its graph stand for."""

    @abc.abstractmethod
    def saved(self) -> SavedPlace | None:
        """What a saved model has of it; None when it can't hold that."""

    @property
    def is_alive(self) -> bool:
        """Whether the trace can still be called."""
        return True


class Outside:
    """What is noted of the graph of a traced function about places outside of the function.

    Attributes
    ----------
    state: those that calls read before a run and write after it: the last parameters and outputs of the graph.
    constants: by key, what gives name and value of places that runs change, but whose values are constants.
    frozen: by key, the variables outside whose values are constants of the graph; see `runtime.functions.guards`.
    unseen: the names of attributes that are constants of the graph, and that nothing looks at later.
    varying: the keys of variables outside which are to be inputs, when they hold tensors or arrays.
    takes_state: whether a call in a trace gives it what places outside hold there, so that it need not capture that.
    """

    def __init__(self) -> None:
        self.state: list[StatePlace] = []
        self.constants: dict[Any, Callable[[], tuple[str, Any]]] = {}
        self.frozen: dict[Any, Guard] = {}
        self.unseen: Sequence[str] = ()
        self.varying: Collection[Any] = ()
        self.takes_state = False


OUTSIDE: Note[Outside] = Note(Outside)


class SavedPlace(NamedTuple):
    """What a saved model has of a place: where it is, what it holds, and what the tensors for it stand for.

    ``template`` is a structure like the one that the place holds, with `TensorSpec` for tensors and `OptionalOutput`
    for what may be None; ``may_miss``: the first tensor says whether the place holds anything.
    """

    key: Any  # equal for the same place in all traces
    owner: Any  # the object of which the place is an attribute, or the dict of which it is an item; or None
    name: Any  # of the attribute, or the key
    value: Any  # `MISSING` for nothing
    template: Any
    may_miss: bool


MISSING = object()

def place_of(owner: object, name: str, template: object, may_miss: bool) -> StatePlace:
    """The place that is an attribute of an object, or an item of a dict; see `SavedPlace`."""
    place: StatePlace = PLACE_OF.function(owner, name, template, may_miss)
    return place


def finish(graph: Graph, values: Sequence[Value]) -> None:
    """Set the outputs of a traced graph: the results of the function, then those for its state."""
    graph.outputs = [*values, *[value for place in state_of(graph) for value in place.outputs or ()]]
    _drop_unused(graph)


def state_of(graph: Graph) -> list[StatePlace]:
    """The places that calls of a graph read before a run and write after it."""
    return OUTSIDE.of(graph).state


def _drop_unused(graph: Graph) -> None:
    """Take away the parameters for places that are read in vain."""
    used = set(graph.outputs)
    used.update(value for node in graph.nodes for value in node.inputs)
    unused: set[Any] = set()
    for place in state_of(graph):
        if place.inputs and used.isdisjoint(place.inputs):
            unused.update(place.inputs)
            place.inputs = ()
    if unused:
        graph.parameters = [value for value in graph.parameters if value not in unused]
        graph.nodes = [node for node in graph.nodes if not any(value in unused for value in node.outputs)]
        OUTSIDE.of(graph).state = [place for place in state_of(graph) if place.inputs or place.writes or place.is_guard]


def arguments(graph: Graph) -> list[Value]:
    """The parameters of a graph that are no state."""
    return graph.parameters[: len(graph.parameters) - sum(len(place.inputs) for place in state_of(graph))]


def results(graph: Graph) -> list[Value]:
    """The outputs of a graph that are no state."""
    return graph.outputs[: len(graph.outputs) - sum(len(place.outputs or ()) for place in state_of(graph))]


def read(places: Sequence[StatePlace]) -> list[Any]:
    """The eager tensors of all parameters for state."""
    return [tensor for place in places for tensor in place.read()]


def write(places: Sequence[StatePlace], tensors: Sequence[Any]) -> None:
    """Write what a run has given for state."""
    for place, mine in _shares(places, tensors):
        place.write(mine)


def _shares(places: Sequence[StatePlace], tensors: Sequence[Any]) -> Iterator[tuple[StatePlace, Sequence[Any]]]:
    """The places that are written, each with what there is for it."""
    start = 0
    for place in places:
        if place.outputs is not None:
            end = start + len(place.outputs)
            yield place, tensors[start:end]
            start = end


def running(run: Callable[..., Any], places: Sequence[StatePlace], inputs: int, count: int) -> Callable[..., Any]:
    """What runs a graph of so many arguments and results, with ``run``, on arrays for arguments and captures."""
    if not places:
        return run

    def with_state(*arrays: object) -> Any:
        held = [tensor.array for tensor in read(places)]
        made = run(*arrays[:inputs], *held, *arrays[inputs:])
        write(places, [wrap(array) for array in made[count:]])
        return made[:count]

    return with_state


def taken(places: Sequence[StatePlace]) -> list[Any] | None:
    """The tensors of all parameters for state at this point of a trace; None where a place can't be passed on."""
    found: list[Any] = []
    for place in places:
        tensors = place.taken()
        if tensors is None:
            return None
        found += tensors
    return found


def given(places: Sequence[StatePlace], tensors: Sequence[Any]) -> None:
    """Set the places at this point of a trace to what a call has given."""
    for place, mine in _shares(places, tensors):
        place.given(mine)
