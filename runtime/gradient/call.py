"""The gradient of calls of traced functions: a forward graph that also gives what a backward graph needs.

Both are made once for a graph and the inputs that gradients are wanted of, whether it is called eagerly or by a node.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import GraphError
from autograph.settings import settings

from ..base.dtypes import variant
from ..engines.executable import Executable
from ..ir.graph import Graph, Node, Type
from ..ir.notes import DEVICE, Note
from ..ir.op import OPS
from ..ir.primitive import CALL, PLACEHOLDER, Call
from ..ops.control import call_node, call_of
from ..tensors import trace
from ..tensors.tensor import SymbolicTensor
from .backprop import RULES, Pairs, backpropagate, fit, type_of, zeros_like
from .copying import copy_graph, copy_nodes, prune
from .nested import exchange
from .records import Record, access, free_sources, fresh, is_differentiable, key, remember, variables_in


class Derivative:
    """The derivative of a graph with respect to some of its inputs, and of what it uses besides.

    Attributes
    ----------
    forward: a copy of the graph with more outputs, of the types `extra`.
    backward: takes the gradients of the differentiable outputs of the graph, and the additional outputs of `forward`;
        gives the gradient of the sources in ``connected``.
    count: the number of outputs of the graph itself.
    """

    def __init__(self, graph: Graph, wanted: Sequence[int], free: Sequence[Any]) -> None:
        self.free = free
        self.wanted = wanted
        self.count = len(graph.outputs)
        self.differentiable = [i for i, v in enumerate(graph.outputs) if is_differentiable(v.type.dtype)]
        self.forward = copy_graph(graph, graph.parent, {})
        self.forward.name = f"forward_{graph.name}"
        self.backward = self._empty(graph, self.forward)

    def _empty(self, graph: Graph, parent: Graph | None) -> Graph:
        """A graph with the gradients of the outputs as its parameters."""
        backward = Graph(f"backward_{graph.name}", parent)
        DEVICE.of(backward)[:] = DEVICE.known(graph) or ()
        for i in self.differentiable:
            backward.parameter(graph.outputs[i].type, "gradient")
        return backward

    def build(self) -> None:
        """Make the backward graph."""
        backward = self.backward
        found = self._backpropagated(backward)
        # the positions among the wanted inputs, then the free sources
        self.connected = [i for i, gradient in enumerate(found) if gradient is not None]
        with trace.building(backward):
            backward.outputs = [trace.value_of(found[i]) for i in self.connected]
        # What it captures from the forward graph becomes its parameters.
        prune(backward)
        self.forward.outputs.extend(backward.captures)
        backward.parameters.extend(backward.captures.values())
        backward.captures, backward.origins, backward.parent = {}, {}, None

    def _backpropagated(self, backward: Graph) -> list[Any]:
        """The gradient of each source, in a graph whose parent is the forward graph."""
        with trace.building(backward):
            gradients: list[Any] = [None] * self.count
            for i, value in zip(self.differentiable, backward.parameters, strict=False):
                gradients[i] = SymbolicTensor(value)
            records = [Record.of_node(node) for node in self.forward.nodes if node.op is not PLACEHOLDER]
            targets = [SymbolicTensor(value) for value in self.forward.outputs]
            return backpropagate(records, targets, gradients, self._sources())

    def _sources(self) -> list[Any]:
        inputs = self.forward.inputs
        return [*[SymbolicTensor(inputs[i]) for i in self.wanted], *self.free]

    @property
    def extra(self) -> list[Type]:
        return [value.type for value in self.forward.outputs[self.count :]]

    def call(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """A call of the backward graph in the current graph."""
        return call_node(self.backward, arguments)

    @functools.cached_property
    def forward_executable(self) -> Executable:
        return Executable(self.forward)

    @functools.cached_property
    def backward_executable(self) -> Executable:
        return Executable(self.backward)

    def arguments(self, given: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        """The arguments of the backward graph, given the gradients and all outputs of the forward graph."""
        gradients = [zeros_like(outputs[i]) if given[i] is None else given[i] for i in self.differentiable]
        gradients = [fit(g, self.backward.parameters[i].type) for i, g in enumerate(gradients)]
        return [*gradients, *outputs[self.count : self.count + len(self.extra)]]

    def spread(self, results: Sequence[Any], length: int) -> list[Any]:
        """The results of the backward graph by source."""
        gradients: list[Any] = [None] * length
        for i, result in zip(self.connected, results, strict=True):
            gradients[i] = result
        return gradients


class RecursiveDerivative(Derivative):
    """The derivative of a graph that calls itself. The two graphs do so too: calls of them are made before they are.

    Therefore the forward graph hands over one list, of whatever the backward graph turns out to need, and the backward
    graph gives the gradient of every source.
    """

    extra = [Type(variant, ())]  # noqa: RUF012 (nobody changes it)

    def __init__(self, graph: Graph, wanted: Sequence[int], free: Sequence[Any]) -> None:
        super().__init__(graph, wanted, free)
        self.backward = self._empty(graph, None)
        self.backward.parameter(self.extra[0], "record")
        self.backward.calls_itself = True
        self.types = list(map(type_of, self._sources()))
        self.connected = list(range(len(self.types)))

    def build(self) -> None:
        draft = self._empty(self.forward, self.forward)
        found = self._backpropagated(draft)
        with trace.building(draft):
            for source, gradient, type_ in zip(self._sources(), found, self.types, strict=True):
                gradient = zeros_like(source) if gradient is None else fit(gradient, type_)
                draft.outputs.append(trace.value_of(gradient))
        prune(draft)
        with trace.building(self.forward):
            record = OPS["list_new"]()
            for value in draft.captures:
                record = OPS["list_push"](record, SymbolicTensor(value))
            self.forward.outputs.append(record.value)
        *gradients, record = map(SymbolicTensor, self.backward.parameters)
        values = {given: known.value for given, known in zip(draft.parameters, gradients, strict=True)}
        with trace.building(self.backward):
            for i, value in enumerate(draft.captures.values()):
                item = OPS["list_get"](record, np.int32(i), dtype=value.type.dtype, shape=value.type.shape)
                values[value] = item.value
            copy_nodes(draft.nodes, self.backward, values)
            self.backward.outputs = [values[value] for value in draft.outputs]

    def call(self, arguments: Sequence[Any]) -> Sequence[Any]:
        inputs = [trace.value_of(argument) for argument in arguments]
        return call_of(self.backward, inputs, (), self.types)


DERIVATIVES: Note[dict[Any, Derivative]] = Note(dict)
"""What has been derived from a graph."""
_lock = threading.RLock()
_under_way: list[Derivative] = []


def derivative(graph: Graph, wanted: Sequence[int], free: Sequence[Any]) -> Derivative:
    """The derivative of a graph with respect to its inputs at some positions and to free sources; made once."""
    place = (tuple(wanted), tuple(map(key, free)))
    with _lock:
        known = DERIVATIVES.of(graph)
        found = known.get(place)
        if found is None:
            kind = RecursiveDerivative if graph.calls_itself else Derivative
            found = known[place] = kind(graph, wanted, free)
            _under_way.append(found)
            try:
                found.build()
            except BaseException:
                del known[place]
                raise
            finally:
                _under_way.pop()
            if settings.checks and not _under_way:  # what it calls is ready too
                from ..ir.check import check

                check(found.forward)
                check(found.backward)
        return found


# In graphs


def pull_call(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """A node that calls the forward graph takes the place of the node; the gradient is a call of the backward graph."""
    node = record.node
    assert isinstance(node, Call)
    wanted = [i for i, x in enumerate(record.inputs) if key(x) in active and is_differentiable(x.dtype)]
    free = free_sources(node.subgraphs, active)
    found = _exchanged(node, wanted, free, given)
    record.renew()
    given = [*given, *[None] * (len(record.outputs) - len(given))]
    results = found.call(found.arguments(given, record.outputs))
    sources = [*[record.inputs[i] for i in wanted], *free]
    pairs = zip(sources, found.spread(results, len(sources)), strict=True)
    return [(source, gradient) for source, gradient in pairs if gradient is not None]


_EXCHANGED: Note[dict[Node, tuple[Any, Derivative]]] = Note(dict)
"""The nodes of a graph that call a forward graph in place of another: what was wanted, and the derivative."""


def _exchanged(node: Call, wanted: list[int], free: list[Any], given: list[Any]) -> Derivative:
    """The derivative, after a node that calls its forward graph has taken the place of the node."""
    known = _EXCHANGED.of(node.graph)
    place = (tuple(wanted), tuple(map(key, free)))
    latest = known.get(node)
    if latest is not None and latest[0] == place and all(g is None for g in given[latest[1].count :]):
        return latest[1]
    found = derivative(node.called, wanted, free)
    new = exchange(node, node.inputs, node.attributes, (found.forward,), found.extra)
    known[new] = place, found
    return found


RULES[CALL] = pull_call


# Eagerly


def run(graph: Graph, executable: Callable[[], Executable], tensors: Sequence[Any]) -> list[Any]:
    """Run a graph on eager tensors (``executable()`` runs it) for the tapes of this thread to see; its outputs."""
    for variable in variables_in(graph):
        access(variable)
    followed = set().union(*[tape.followed for tape in trace.LOCAL.tapes])
    wanted = [i for i, x in enumerate(tensors) if key(x) in followed and is_differentiable(x.dtype)]
    free = free_sources([graph], followed)
    if not wanted and not free:
        return executable().call(tensors)
    return _Run(graph, wanted, free, tensors).outputs[: len(graph.outputs)]


class _Run:
    """One eager call, with what as many gradients of gradients as there are tapes need."""

    def __init__(self, graph: Graph, wanted: list[int], free: list[Any], tensors: Sequence[Any]) -> None:
        self.name = graph.name
        self.tensors = tensors
        self.wanted = wanted
        self.free = free
        self.levels = [derivative(graph, wanted, free)]
        for _ in trace.LOCAL.tapes[1:]:
            self._deepen()
        self.outputs: list[Any] = []
        self._execute()
        self.sources = [*[tensors[i] for i in wanted], *free]
        remember(Record(None, {}, self.sources, self.outputs, backward=self.backward))

    def _deepen(self) -> None:
        self.levels.append(derivative(self.levels[-1].forward, self.wanted, self.free))

    def _execute(self) -> None:
        new = self.levels[-1].forward_executable.call(self.tensors)[len(self.outputs) :]
        self.outputs.extend(fresh(new, [*self.tensors, *self.free]))

    def backward(self, given: list[Any]) -> list[Any]:
        last = max(i for i, g in enumerate(given) if g is not None)
        level = 0
        while last >= self.levels[level].count:
            level += 1
            if level == len(self.levels):
                self._again()
        found = self.levels[level]
        graph = found.backward
        given = [*given, *[None] * (len(self.outputs) - len(given))]
        arguments = found.arguments(given, self.outputs)
        if trace.current_graph() is not None:
            results = found.call(arguments)
        elif trace.LOCAL.tapes:
            results = run(graph, lambda: found.backward_executable, arguments)
        else:
            results = found.backward_executable.call(arguments)
        return found.spread(results, len(self.sources))

    def _again(self) -> None:
        """Run forward once more, for a gradient of a gradient that no second tape had announced."""
        if self.levels[-1].forward.effect:
            raise GraphError(
                f"a gradient of the gradient through {self.name}(), which has side effects, can't be had after the "
                "call, as that would have to run again",
                remedy="open another GradientTape around the first one, before the call",
            )
        self._deepen()
        self._execute()
