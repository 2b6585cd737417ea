"""A graph as a function of jax.numpy, for arguments of given shapes.

The function runs once, on JAX's tracers. What is known by then (constants, shapes, what is computed of them) stays a
NumPy array and is computed by the ops' own kernels, so that shapes which are tensors in the graph are static where they
can be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import errors

from ...base.dtypes import from_numpy, variant
from ...ir.graph import Graph, Node, Type, Value
from ...ir.op import Op
from ...ir.primitive import CONSTANT, PLACEHOLDER
from ..engine import NotLowered
from ..held import Held
from .supported import ENGINE
from .values import Lowered, Unsized, is_known

Lower = Callable[..., Any]
"""How an op is lowered: ``lower(here, node, *values, **attributes)``, with a `Lowering`, gives a value, or a tuple.

A value is an array of JAX; one of NumPy where it is known; or, of lists and what is made of them, see values.py.
"""

# Results of more elements are not computed beforehand: they would be a part of the program.
_MOST_KNOWN = 4096
_UNKNOWN = (errors.ConcretizationTypeError, errors.TracerArrayConversionError, errors.NonConcreteBooleanIndexError)


class Fails(Exception):
    """Whatever the numbers are, the plan raises an error here."""


class Lowering:
    """Lowers a graph, node by node.

    Attributes
    ----------
    failed: whether something has failed so far: a bool where that is known, else a scalar array. See `fails`.
    short: the same, of whether a list has had no room for more elements, or a loop in a loop has turned too often:
        another program is to run, with more room, that is careful.
    capacity: how much room lists get in loops of which nobody knows how often they turn.
    is_careful: Python may run in loops in loops too, which costs much.
    is_in_loop: whether what is lowered is in a loop; is_apart: whether it is in a loop or a branch.
    stopped: whether a loop that is in no other, nor in a branch, has ended because it was told to; False: none can be.
    is_among_replicas: whether it is what each of several replicas does.
    is_watched: whether Python is there to end loops.
    holds: what variables hold at this point.
    is_to_stop: a function of Python's that loops call now and then, which end where it says so; ``looks``: whether any
        does.
    least_work: what a turn of a loop takes at least, in the units of `costs`, however little it does.
    node: the node that is being lowered, for `NotLowered`; and the outermost one that it is in.
    """

    def __init__(
        self, graph: Graph, capacity: int, is_careful: bool, is_to_stop: Callable[[], bool], least_work: int
    ) -> None:
        self.is_to_stop, self.least_work = is_to_stop, least_work
        self.failed: Any = False
        self.short: Any = False
        self.stopped: Any = False
        self.capacity, self.is_careful, self.is_in_loop, self.is_apart = capacity, is_careful, False, False
        self.looks = False
        self.is_among_replicas, self.is_watched = False, True
        self.holds: dict[Held, Any] = {}
        self.node: Node | None = None
        self.outermost: Node | None = None
        self._graph = graph

    def fails(self, condition: Lowered) -> None:
        """The plan is to run in place of the program where any of the elements of a condition is true.

        Raises `Fails` where it is known to be.
        """
        if is_known(condition) or isinstance(condition, bool):
            if np.any(condition):
                raise Fails
            return
        condition = jnp.any(condition)
        self.failed = condition if self.failed is False else self.failed | condition

    def warns(self, condition: Lowered) -> None:
        """The plan is to run, as above, to warn; what it gives besides is what is lowered, too."""
        self.fails(condition)

    def stops(self, condition: Lowered) -> None:
        """A loop has been told to end where a scalar is true: nothing that the program gives is of any use."""
        if self.is_apart:
            self.fails(condition)
        else:
            self.stopped = condition if self.stopped is False else self.stopped | condition

    def lacks(self, condition: Lowered) -> None:
        """Another program is to run where a scalar is true: see ``short``."""
        self.short = condition if self.short is False else self.short | condition

    @contextmanager
    def apart(self, is_in_loop: bool = False) -> Iterator[None]:
        """What is lowered in here is a function of its own: what fails and is assigned there is forgotten outside."""
        before = self.failed, self.short, self.holds, self.is_in_loop, self.is_apart, self.node
        self.failed, self.short, self.holds, self.is_apart = False, False, dict(self.holds), True
        self.is_in_loop |= is_in_loop
        try:
            yield
        finally:
            self.failed, self.short, self.holds, self.is_in_loop, self.is_apart, node = before
            if sys.exc_info()[0] is None:
                self.node = node

    @contextmanager
    def among_replicas(self) -> Iterator[None]:
        """What is lowered in here is what each of several replicas does."""
        before, self.is_among_replicas = self.is_among_replicas, True
        try:
            yield
        finally:
            self.is_among_replicas = before

    def static(self, x: Lowered, what: str) -> np.ndarray:
        """A value that has to be known, or `NotLowered`; ``what``: "the shape", "the axis"."""
        if not is_known(x):
            raise NotLowered(f"{what} depends on values")
        return np.asarray(x)

    def shape_of(self, x: Lowered) -> Any:
        """The shape of a value, as inference takes it."""
        return np.shape(x)

    def infer(self, node: Node, values: Sequence[Lowered]) -> list[Type]:
        """The types of a node's outputs for inputs of the values' shapes. Raises `Fails` where they don't fit."""
        return self.infer_op(node.op, [value.type for value in node.inputs], values, node.attributes)

    def infer_op(
        self, op: Op, types: Sequence[Type], values: Sequence[Lowered], attributes: dict[str, Any]
    ) -> list[Type]:
        """The types of what an op gives for inputs of some types and of the values' shapes."""
        exact = [t if t.dtype is variant else Type(t.dtype, self.shape_of(x))
                 for t, x in zip(types, values, strict=True)]  # fmt: skip
        try:
            found = op.infer(*exact, **attributes)
        except Exception:  # the plan will say what is wrong
            raise Fails from None
        return [found] if type(found) is Type else list(found)  # type: ignore[arg-type]

    def apply(self, op: Op, *inputs: Lowered, **attributes: Any) -> Any:
        """What an op gives for values."""
        scratch = Graph("scratch")
        values = [scratch.parameter(Type(from_numpy(np.dtype(x.dtype)), self.shape_of(x))) for x in inputs]
        try:
            node = scratch.add(op, values, attributes)
        except Exception:  # the plan will say what is wrong
            raise Fails from None
        results = self.lowered(node, inputs)
        return results[0] if len(results) == 1 else results

    def run(self, graph: Graph, inputs: Sequence[Lowered]) -> list[Any]:
        """The outputs of a graph for values of its inputs. Raises `Fails`, and `NotLowered`."""
        if graph.never_returns:
            raise Fails
        values: dict[Value, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for node in graph.nodes:
            if node.op is PLACEHOLDER:
                continue
            self.node = node
            if graph is self._graph:
                self.outermost = node
            results = self.lowered(node, [values[value] for value in node.inputs])
            values.update(zip(node.outputs, results, strict=True))
        return [values[value] for value in graph.outputs]

    def lowered(self, node: Node, inputs: Sequence[Lowered]) -> Sequence[Any]:
        """The values of a node's outputs."""
        if node.op is CONSTANT:
            return [np.asarray(node.attributes["value"])]
        unsized = next((x for x in inputs if isinstance(x, Unsized)), None)
        if unsized is not None and not node.subgraphs:
            return [unsized.used(self, node, inputs)]
        if not node.subgraphs and any(np.shape(x) != v.type.shape for x, v in zip(inputs, node.inputs, strict=True)
                                      if v.type.dtype is not variant):  # fmt: skip
            self.infer(node, inputs)
        found = self.folded(node, inputs)
        if found is None:
            lower = node.op.lowerings.get(ENGINE)
            if lower is None:
                raise NotLowered(f"the op {node.op.name!r} has no form in XLA", node)
            try:
                found = lower(self, node, *inputs, **node.attributes)
            except _UNKNOWN:
                raise NotLowered(f"{node.op.name!r} of what depends on values", node) from None
        results = found if type(found) in (tuple, list) else (found,)
        _check(node, results)
        return results

    def folded(self, node: Node, inputs: Sequence[Lowered]) -> Any:
        """What the kernel gives for known values; None where it is not to be asked."""
        if not inputs or node.op.effect or node.subgraphs or not all(map(is_known, inputs)):
            return None
        if any(value.type.dtype is variant for value in node.outputs):
            return None
        try:
            with np.errstate(all="raise"):
                result = node.op.numpy(*inputs, **node.attributes)
        except Exception:  # what goes wrong goes wrong when the graph runs
            return None
        results = result if type(result) is tuple else (result,)
        return results if sum(np.size(each) for each in results) <= _MOST_KNOWN else None


def _check(node: Node, results: Sequence[Lowered]) -> None:
    for x, value in zip(results, node.outputs, strict=True):
        dtype = value.type.dtype
        if dtype is not variant and not isinstance(x, Unsized):
            assert x.dtype == dtype.numpy, f"{node.op.name} gives {x.dtype}, not {dtype.name}"
