"""A graph as operators of ONNX, node by node.

What is known while it is exported (constants, what is computed of them) stays an array and is computed by the ops' own
kernels. Whatever can't be exported is noted, and the walk goes on, so that one error names all of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ....base.dtypes import DType, bool_, complex64, complex128, from_numpy, int64, variant
from ....base.shapes import Shape, broadcast
from ....ir import graph as ir
from ....ir.effects import Effects
from ....ir.graph import Graph, Node, Type
from ....ir.op import Op
from ....ir.primitive import CONSTANT, PLACEHOLDER, Call
from . import kernels
from .elements import Held
from .supported import ENGINE
from .values import Number, Value, known_value

__all__ = ["Block", "Lowering", "NotExported", "Refusal", "Step"]

_MOST_KNOWN = 4096  # results of more elements are not computed beforehand: they would be a part of the file


_INSTEAD = {
    Effects.RANDOM: "draw random numbers before, and pass them as an argument",
    Effects.PRINTS: "leave out what prints",
    Effects.HOST: "let Python do its part before the model runs, or after it",
}
"""What to do in place of effects that a model can't have."""


class NotExported(Exception):
    """Something has no form in ONNX."""

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


class Refusal(NamedTuple):
    """A node that can't be exported, and why."""

    node: Node
    reason: str
    remedy: str | None


class Step(NamedTuple):
    """An operator of the model."""

    kind: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: dict[str, Any]
    node: Node | None


class Block:
    """The operators of the model, or of a branch or the body of a loop; these see the values around them.

    Attributes
    ----------
    guards: conditions of which none may hold for any element, or what the block gives is an error of the runtime;
        and the nodes that ask for it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: list[Step] = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.guards: list[tuple[Value, Node | None]] = []


class Lowering:
    """Lowers graphs into blocks.

    Attributes
    ----------
    block: where operators are added now.
    arrays: the initialisers of the model, by their names.
    refusals: what can't be exported.
    elements: what lists of tensors hold, by the values of the graph that are such lists.
    """

    def __init__(self, drops_assertions: bool = False, elements: dict[ir.Value, Held] | None = None) -> None:
        self.drops_assertions = drops_assertions
        self.elements = elements or {}
        self.block = Block("main")
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.refusals: list[Refusal] = []
        self._node: Node | None = None
        self._names: dict[str, int] = {}
        self._shared: dict[Any, str] = {}
        self._kept: list[Any] = []  # so that no other array gets the same id
        self._calling: list[Graph] = []
        self._variables: dict[int, Value] = {}

    # Values

    def fresh(self, base: str) -> str:
        """A name that nothing in the model has."""
        count = self._names.get(base, 0)
        self._names[base] = count + 1
        return self.fresh(f"{base}_{count}") if count else base

    def constant(self, value: Any, dtype: DType) -> Value:
        """An array of the model."""
        return known_value(self, np.asarray(value, dtype.numpy))

    def integers(self, *numbers: Any) -> Value:
        """A vector of int64, as ONNX takes axes and shapes."""
        return known_value(self, np.array(numbers, np.int64))

    def like(self, value: Value | Number, other: Value) -> Value:
        """A value, or a number in the element type of another value."""
        return value if isinstance(value, Value) else self.constant(value, other.dtype)

    def variable(self, variable: Any, name: str, read: Callable[[], np.ndarray[Any, Any]]) -> Value:
        """What a variable holds, an initialiser of its own; made when it is first read."""
        found = self._variables.get(id(variable))
        if found is None:
            array = read()
            found = Value(self, self.fresh(name), from_numpy(array.dtype), array.shape)
            self._variables[id(variable)] = found
            self.arrays[self.named(found)] = array
        return found

    def named(self, value: Value) -> str:
        """The name of a value in the model, which holds it from now on if it is known."""
        if value.rows is not None:
            return self.named(value.rows)
        if value.name is None:
            assert value.known is not None
            value.name = self._initialiser(value.known)
        elif value.known is not None and value.name not in self.arrays:
            self.arrays[value.name] = value.known
        return value.name

    def _initialiser(self, array: np.ndarray[Any, Any]) -> str:
        small = array.nbytes <= 1024 and array.dtype != object
        key = (array.dtype.str, array.shape, array.tobytes()) if small else id(array)
        name = self._shared.get(key)
        if name is None:
            name = self._shared[key] = self.fresh("constant")
            self.arrays[name] = array
            self._kept.append(array)
        return name

    # Operators

    def add(
        self, kind: str, *inputs: Value | None, dtype: DType | None = None, shape: Shape = None, count: int = 1,
        **attributes: Any
    ) -> Any:  # fmt: skip
        """Adds an operator; gives its result, or a list of ``count`` ones.

        ``dtype`` and ``shape`` are those of the results, where they are not those that `kernels` says. An element type
        that runtimes lack goes by way of a wider one.
        """
        places = kernels.typed(kind, len(inputs))
        given = next((inputs[i].dtype for i in places if inputs[i] is not None), None)  # type: ignore[union-attr]
        variety = str(attributes.get("reduction", "fmod" if attributes.get("fmod") else ""))
        way = given if given is None else kernels.way_of(kind, variety, given)
        if given is not None and way is None:
            raise NotExported(f"onnxruntime has no {kind} of {given.name}", _other_dtype(given))
        if way is not given and way is not None:
            inputs = tuple([x.cast(way) if i in places and x is not None else x for i, x in enumerate(inputs)])
        if shape is None and kernels.is_elementwise(kind):
            shape = broadcast(*[x.shape for x in inputs if x is not None])
        result = dtype or kernels.result_of(kind) or way
        assert result is not None
        made = self._added(kind, inputs, result, shape, count, attributes)
        if dtype is None and given is not None and result is way:
            made = [each.cast(given) for each in made]
        return made[0] if count == 1 else made

    def _added(
        self, kind: str, inputs: Sequence[Value | None], dtype: DType, shape: Shape, count: int,
        attributes: dict[str, Any]
    ) -> list[Value]:  # fmt: skip
        name = self.fresh(self.label(kind))
        outputs = [name] if count == 1 else [self.fresh(f"{name}:{i}") for i in range(count)]
        names = ["" if x is None else self.named(x) for x in inputs]
        while names and not names[-1]:
            names.pop()
        self.block.steps.append(Step(kind, name, names, outputs, attributes, self._node))
        return [Value(self, each, dtype, shape) for each in outputs]

    def step(self, kind: str, inputs: Sequence[Value], outputs: Sequence[Value], **attributes: Any) -> None:
        """Adds an operator whose results are values that there are already."""
        names = [self.named(x) for x in inputs]
        given = [self.named(x) for x in outputs]
        self.block.steps.append(Step(kind, self.fresh(self.label(kind)), names, given, attributes, self._node))

    def label(self, kind: str) -> str:
        """The name of an operator: that of the node, with the user's line."""
        node = self._node
        if node is None:
            return kind
        location = node.location
        return node.name if location is None else f"{node.name}@{os.path.basename(location.file)}:{location.line}"

    def is_new(self, value: Value) -> bool:
        """Whether a list is one that has just been made, without elements."""
        return any(step.kind == "SequenceEmpty" and value.name in step.outputs for step in self.block.steps)

    def loop(self, first: Value, state: Sequence[Value], results: Sequence[Value], body: Block) -> None:
        """Adds a `Loop` that turns while its body says so, for the first time if a value says so."""
        self._loops(["", self.named(first), *map(self.named, state)], results, body)

    def _loops(self, names: list[str], results: Sequence[Value], body: Block) -> None:
        given = [self.named(x) for x in results]
        self.block.steps.append(Step("Loop", self.fresh(self.label("Loop")), names, given, {"body": body}, self._node))

    def largest(self, x: Value, count: Value, axis: int, largest: bool) -> Value:
        """The places of the first elements in order, int64."""
        way = kernels.way_of("TopK", "", x.dtype)
        if way is None:
            raise NotExported(f"onnxruntime has no TopK of {x.dtype.name}", _other_dtype(x.dtype))
        name = self.fresh(self.label("TopK"))
        values, places = Value(self, f"{name}:0", way), Value(self, f"{name}:1", int64, x.shape)
        self.step("TopK", [x.cast(way), count], [values, places], axis=axis, largest=int(largest), sorted=1)
        return places

    def unique(self, x: Value) -> list[Value]:
        """The distinct elements of a vector as they appear, where they first are, which each is, how often they are."""
        name = self.fresh(self.label("Unique"))
        dtypes = (x.dtype, int64, int64, int64)
        results = [Value(self, f"{name}:{i}", dtype, (None,)) for i, dtype in enumerate(dtypes)]
        results[2].shape = x.shape
        self.step("Unique", [x], results, sorted=0)
        return results

    def where(self, condition: Value, x: Value | Number, y: Value | Number) -> Value:
        """One or the other; at least one of them is a value."""
        like = x if isinstance(x, Value) else y
        assert isinstance(like, Value)
        x, y = self.like(x, like), self.like(y, like)
        if x.dtype is bool_:
            return (condition & x) | (~condition & y)
        return self.add("Where", condition, x, y)

    def apply(self, op: Op, *inputs: Value, **attributes: Any) -> Any:
        """What an op of ours gives for values, whose shapes have to be those that are known."""
        scratch = Graph("scratch")
        values = [scratch.parameter(Type(x.dtype, x.shape)) for x in inputs]
        node = scratch.add(op, values, attributes, name=self._node.name if self._node else None,
                           where=self._node.where if self._node else None)  # fmt: skip
        results = self._lowered(node, inputs)
        return results[0] if len(results) == 1 else results

    def fails_where(self, condition: Value, x: Value) -> Value:
        """A value, of which the runtime makes an error where any element of a condition is true.

        ONNX has no operator that raises: it is an index that is out of range.
        """
        zero = self.add("Gather", self.integers(0), self.any_of(condition).cast(int64), axis=0)
        return self.add("Reshape", x, self.add("Shape", x) + zero, allowzero=1, shape=x.shape)

    def any_of(self, condition: Value) -> Value:
        """Whether any element of a condition is true, a scalar, or the condition itself where it is one."""
        if condition.shape in ((), (1,)):
            return condition
        flat = self.add("Reshape", condition.cast(int64), self.integers(-1), allowzero=0)
        with_none = self.add("Concat", flat, self.integers(0), axis=0)
        return self.add("ReduceMax", with_none, self.integers(0), keepdims=0, shape=()).cast(bool_)

    def guarded(self, x: Value) -> Value:
        """A value, of which the runtime makes an error where a guard of the block holds."""
        before = self._node
        for condition, node in self.block.guards:
            self._node = node
            x = self.fails_where(condition, x)
        self._node = before
        return x

    # Graphs

    @contextmanager
    def inside(self, name: str) -> Iterator[Block]:
        """Operators that are added meanwhile go to a block of their own."""
        before, self.block = self.block, Block(self.fresh(name))
        try:
            yield self.block
        finally:
            self.block = before

    @contextmanager
    def going_on(self, block: Block) -> Iterator[None]:
        """Operators that are added meanwhile go to a block that there is already."""
        before, self.block = self.block, block
        try:
            yield
        finally:
            self.block = before

    def run(self, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The outputs of a graph for values of its inputs."""
        if graph in self._calling:
            raise NotExported(f"{graph.name} calls itself", "write the recursion as a loop")
        before = self._node
        self._calling.append(graph)
        values = dict(zip(graph.inputs, inputs, strict=True))
        try:
            for node in graph.nodes:
                if node.op is not PLACEHOLDER:
                    self._node = node
                    results = self._noted(node, [values[value] for value in node.inputs])
                    values.update(zip(node.outputs, results, strict=True))
        finally:
            self._node = before
            self._calling.pop()
        return [values[value] for value in graph.outputs]

    def refusal(self, reason: str, remedy: str | None = None) -> NotExported:
        """The error for a node that can't be exported."""
        return NotExported(reason, remedy)

    def _noted(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        try:
            return self._lowered(node, inputs)
        except NotExported as error:
            if not isinstance(node, Call) or not self.refusals:
                self.refusals.append(Refusal(node, error.reason, error.remedy))
        return [self._of(value, "refused") for value in node.outputs]

    def _of(self, value: ir.Value, name: str) -> Value:
        held = self.elements.get(value)
        made = Value(self, name, value.dtype, value.shape, element=None if held is None else held.type)
        if held is not None and held.is_dense:
            made.rows = Value(self, name, held.type.dtype, (None, *(held.type.shape or ())))
        return made

    def parameter(self, value: ir.Value, name: str) -> Value:
        """A value that a block is given, of the type of one of the graph."""
        return self._of(value, self.fresh(name))

    def is_dense(self, value: ir.Value) -> bool:
        """Whether one tensor has the elements of a list, wherever it is handed on."""
        held = self.elements.get(value)
        return held is not None and held.is_dense

    def _lowered(self, node: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        if node.op is CONSTANT:
            return [known_value(self, np.asarray(node.attributes["value"]))]
        found = self._folded(node, inputs)
        if found is not None:
            return found
        if any(value.dtype in (complex64, complex128) for value in (*node.inputs, *node.outputs)):
            raise NotExported("runtimes of ONNX have no complex numbers", "work with real and imaginary parts")
        lower = node.op.lowerings.get(ENGINE)
        if lower is None:
            remedy = next((text for effect, text in _INSTEAD.items() if effect in node.op.effects), None)
            raise NotExported("it has no form in ONNX", remedy)
        results = lower(self, node, *inputs, **node.attributes)
        results = results if isinstance(results, (list, tuple)) else [results]
        return [self._checked(x, value) for x, value in zip(results, node.outputs, strict=True)]

    def _checked(self, x: Value, value: ir.Value) -> Value:
        assert x.dtype is value.dtype, f"{value.node.op.name} gives {x.dtype.name}, not {value.dtype.name}"
        if x.known is not None or x.dtype is variant or x.shape == value.shape:
            return x
        return Value(self, x.name, x.dtype, value.shape)

    def _folded(self, node: Node, inputs: Sequence[Value]) -> list[Value] | None:
        """What the kernel gives for known values; None where it is not to be asked."""
        known = [x.known for x in inputs]
        if not inputs or node.op.effect or node.subgraphs or any(x is None for x in known):
            return None
        if any(value.dtype is variant for value in node.outputs):
            return None
        try:
            with np.errstate(all="raise"):
                result = node.op.numpy(*known, **node.attributes)
        except Exception:  # what goes wrong goes wrong when the model runs
            return None
        results = [np.asarray(each) for each in (result if type(result) is tuple else (result,))]
        if sum(each.size for each in results) > _MOST_KNOWN:
            return None
        return [known_value(self, each) for each in results]


def _other_dtype(dtype: DType) -> str | None:
    return "cast to float32 first" if dtype.name == "float64" else "cast to a type such as int32 or float32 first"
