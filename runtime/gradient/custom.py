"""`custom_gradient`: functions that bring their own gradient.

Eagerly the tape remembers the gradient function. In a graph a ``custom_gradient`` node holds what the function does,
traced at once, so that the graph can be copied, saved and differentiated without it.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import Any, SupportsIndex

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ..base import nest
from ..base.pickling.carried import Carried
from ..base.pickling.places import Place, place_of
from ..base.pickling.writer import writer
from ..ir.graph import Graph
from ..ir.primitive import CUSTOM_GRADIENT, CustomGradient
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.front_half import STAGED_FORM
from ..tensors.tensor import SymbolicTensor
from .backprop import RULES, Pairs, fit, type_of, zeros_like
from .copying import copy_nodes, prune
from .records import Record, fresh, is_differentiable, is_variable, key, remember

__all__ = ["custom_gradient"]


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the gradient of one that returns its arguments: what comes from its results goes to these."""
    return custom_gradient(lambda *args, **keywords: (f(*args, **keywords), lambda *upstream: list(upstream)))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function its own gradient; a decorator.

    ``f(*args)`` returns the result, a tensor or a structure of tensors, and a function ``grad(*upstream)`` that takes
    one gradient for each tensor of the result and returns one for each tensor among the arguments (a single one, or a
    structure). When ``f`` reads variables, ``grad`` needs a parameter ``variables`` as well, gets the list of them by
    it, and returns a pair: the gradients of the arguments, and those of the variables.

    >>> import autograph as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    return _WithGradient(f)


class _WithGradient:
    """A function that brings its own gradient; in a class, a method, whose instance is none of the arguments."""

    __qualname__: str

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return _apply(self._function, args, kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> _WithGradient:
        return self if instance is None else _WithGradient(MethodType(self._function, instance))

    def __copy__(self) -> _WithGradient:
        return self  # as Python does with functions

    def __deepcopy__(self, memo: dict[int, Any]) -> _WithGradient:
        copied = copy.deepcopy(self._function, memo)
        return self if copied is self._function else _WithGradient(copied)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        place, writing = place_of(self), writer()
        if place is not None and not (writing is not None and writing.writes(place.module)):
            return Place.found, (place,)
        return _WithGradient, (Carried(self._function),)


class _Reads:
    """A tape that only notes which variables are read.

    Other tapes go on remembering what the function does: its gradient may use results on the way, which second
    derivatives go through.
    """

    def __init__(self) -> None:
        self.followed: set[Any] = set()
        self.found: dict[int, Any] = {}

    def accessed(self, variable: Any) -> None:
        if variable.trainable:
            self.found[id(variable)] = variable

    def add(self, record: Record) -> None:
        """Nothing is followed."""


def _apply(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    leaves = [leaf if is_variable(leaf) else convert_to_tensor(leaf) for leaf in nest.flatten(args)]
    args = nest.pack_sequence_as(args, leaves)
    tapes, reads = trace.LOCAL.tapes, _Reads()
    trace.LOCAL.tapes = (*tapes, reads)
    try:
        result, gradient = _form(f)(*args, **kwargs)
    finally:
        trace.LOCAL.tapes = tapes
    given = {id(leaf) for leaf in leaves}
    variables = [variable for variable in reads.found.values() if id(variable) not in given]
    backward = _backward(gradient, leaves, variables)
    outputs = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
    graph = trace.current_graph()
    if graph is not None:
        return nest.pack_sequence_as(result, _add_node(graph, [*leaves, *variables], outputs, backward))
    if tapes:
        outputs = fresh(outputs, outputs)
        remember(Record(None, {}, [*leaves, *variables], outputs, backward=_with_zeros(backward, outputs)))
    return nest.pack_sequence_as(result, outputs)


def _form(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in place of a function of the user: while a graph is being built, one that stages control flow."""
    return function if trace.current_graph() is None else STAGED_FORM.function(function)


def _with_zeros(backward: Callable[..., list[Any]], outputs: list[Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda given: backward([zeros_like(x) if g is None else g for x, g in zip(outputs, given, strict=True)])


def _backward(gradient: Callable[..., Any], leaves: list[Any], variables: list[Any]) -> Callable[..., list[Any]]:
    """The user's gradient function as one from gradients to gradients of arguments and variables, checked."""
    takes = inspect.signature(gradient).parameters
    accepts = "variables" in takes or any(p.kind is p.VAR_KEYWORD for p in takes.values())
    if variables and not accepts:
        names = ", ".join([variable.name for variable in variables])
        raise InvalidTypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must accept a keyword "
            f"argument 'variables'. It uses {names}"
        )

    def backward(given: list[Any]) -> list[Any]:
        if variables:
            own, others = _form(gradient)(*given, variables=variables)
            others = nest.flatten(others)
        else:
            own, others = _form(gradient)(*given), []
        found = nest.flatten(own)
        if len(found) != len(leaves) or len(others) != len(variables):
            raise InvalidArgumentError(
                f"custom_gradient function expected to return {len(leaves)} gradients for its arguments and "
                f"{len(variables)} for variables, but returned {len(found)} and {len(others)} instead."
            )
        return [g if g is None else convert_to_tensor(g, x.dtype) for g, x in
                zip([*found, *others], [*leaves, *variables], strict=True)]  # fmt: skip

    return backward


def _add_node(graph: Graph, sources: list[Any], outputs: list[Any], backward: Callable[..., list[Any]]) -> Any:
    """A node that gives the outputs, and holds the gradient as a graph."""
    pullback = Graph("custom_gradient", graph)
    tapes, trace.LOCAL.tapes = trace.LOCAL.tapes, ()
    try:
        with trace.building(pullback):
            values = [trace.value_of(x) for x in outputs]
            given = [SymbolicTensor(pullback.parameter(type_of(x), "gradient")) for x in outputs]
            found = backward(given)
            pullback.outputs = [trace.value_of(fit(g, type_of(x))) for g, x in zip(found, sources, strict=True)
                                if g is not None]  # fmt: skip
        prune(pullback)
    finally:
        trace.LOCAL.tapes = tapes
    del values
    arguments = [x for x in sources if not is_variable(x)]
    inputs = [trace.value_of(x) for x in (*arguments, *outputs)]
    attributes = {
        "arguments": len(arguments), "results": len(outputs),
        "sources": tuple([(x if is_variable(x) else None, g is not None) for x, g in zip(sources, found, strict=True)]),
    }  # fmt: skip
    inputs = [*inputs, *pullback.captures]
    node = trace.add_node(CUSTOM_GRADIENT, inputs, attributes, [type_of(x) for x in outputs], subgraphs=(pullback,))
    return [SymbolicTensor(value) for value in node.outputs]


def pull_custom(record: Record, given: list[Any], active: set[Any]) -> Pairs:
    """Repeat the nodes of the gradient that the node holds."""
    node, graph = record.node, trace.current_graph()
    assert isinstance(node, CustomGradient) and graph is not None
    pullback, (arguments, _, operands) = node.backward, node.split(record.inputs)
    gradients = [zeros_like(x) if g is None else g for x, g in zip(record.outputs, given, strict=True)]
    values = {p: trace.value_of(fit(g, p.type)) for p, g in zip(pullback.parameters, gradients, strict=True)}
    for inner, x in zip(pullback.captures.values(), operands, strict=True):
        values[inner] = trace.value_of(x)
    before = len(graph.nodes)
    copy_nodes(pullback.nodes, graph, values)
    if trace.LOCAL.tapes:
        for new in graph.nodes[before:]:
            trace.record_node(new)
    found = iter([SymbolicTensor(values[value]) for value in pullback.outputs])
    given_arguments = iter(arguments)
    pairs: Pairs = []
    for variable, connected in node.sources:
        source = next(given_arguments) if variable is None else variable
        gradient = next(found) if connected else None
        if gradient is not None and key(source) in active and is_differentiable(source.dtype):
            pairs.append((source, gradient))
    return pairs


RULES[CUSTOM_GRADIENT] = pull_custom
