"""The graph: an ordered list of nodes, each with an op, inputs, attributes and typed outputs.

A node's inputs are values of the same graph that come before it. Some nodes hold sub-graphs (`runtime.ir.primitive`);
what a sub-graph uses from outside is an explicit input of the node.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from autograph.errors import InaccessibleTensorError, StagingError

from ..base.dtypes import DType, from_numpy
from ..base.places import Location, Place, user_location
from ..base.provided import Provided
from ..base.shapes import Shape

if TYPE_CHECKING:
    from .notes import Note
    from .op import Op

__all__ = ["Graph", "Location", "Mark", "Node", "Region", "Type", "Value"]


class Type(NamedTuple):
    """What is known statically about one tensor. Prints as ``float32[?,4]``; unknown rank as ``float32[...]``."""

    dtype: DType
    shape: Shape

    def __str__(self) -> str:
        inner = "..." if self.shape is None else ",".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.dtype.name}[{inner}]"


class Value:
    """One output of a node."""

    __slots__ = ("index", "node", "type")

    def __init__(self, node: Node, index: int, type: Type) -> None:
        self.node = node
        self.index = index
        self.type = type

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def shape(self) -> Shape:
        return self.type.shape

    @property
    def graph(self) -> Graph:
        return self.node.graph

    @property
    def name(self) -> str:
        """TensorFlow's spelling: ``add:0``."""
        return f"{self.node.name}:{self.index}"

    def __repr__(self) -> str:
        return f"<Value {self.name} {self.type}>"


class Node:
    """One operation in a graph. ``where`` is the place in the user's code, or None.

    ``subgraphs`` are the graphs that it holds: see `runtime.ir.primitive` for the kinds of nodes that have some.
    """

    __slots__ = ("__weakref__", "attributes", "graph", "inputs", "name", "op", "outputs", "subgraphs", "where")
    parts: ClassVar[tuple[str, ...]] = ()
    """The names of the sub-graphs."""

    def __init__(self, graph: Graph, op: Op, inputs: Sequence[Value], attributes: dict[str, Any], name: str,
                 where: Place | None, subgraphs: tuple[Graph, ...] = ()) -> None:  # fmt: skip
        self.graph = graph
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.outputs: tuple[Value, ...] = ()
        self.name = name
        self.where = where
        self.subgraphs = subgraphs

    @property
    def location(self) -> Location | None:
        """The user's file, line and function."""
        return None if self.where is None else self.where.location

    @property
    def latest(self) -> Node:
        """The node that stands in the place of this one, which others may have been put into: see `Graph.replace`."""
        return self.outputs[0].node if self.outputs else self

    @property
    def regions(self) -> tuple[Region, ...]:
        """The sub-graphs with their names, and what they take."""
        return tuple([Region(name, graph, self.takes) for name, graph in zip(self.parts, self.subgraphs, strict=True)])

    @property
    def takes(self) -> Sequence[Value]:
        """The inputs that sub-graphs take."""
        return ()

    @property
    def operands(self) -> Sequence[Value]:
        """The inputs that stand for what sub-graphs capture."""
        return ()

    @property
    def details(self) -> dict[str, Any]:
        """What people and files are told of the node besides inputs and sub-graphs."""
        return self.attributes

    @property
    def effect(self) -> bool:
        """Whether the node does something besides computing its outputs, itself or in a sub-graph."""
        return self.op.effect or any(graph.effect for graph in self.subgraphs)

    @property
    def type(self) -> str:
        """The op in TensorFlow's spelling, as `Graph.as_graph_def` has it."""
        return self.op.tensorflow_name

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


PRIMITIVES: dict[str, Op] = {}
"""The ops of the nodes that a graph makes by itself: a constant and a placeholder, which `primitive` puts here."""
# How a graph is shown.
TEXT: Provided[Callable[[Graph], str]] = Provided("runtime.ir.show", late=True)
GRAPH_DEF: Provided[Callable[[Graph], Any]] = Provided("runtime.ir.graph_def", late=True)
PICTURE: Provided[Callable[[Graph], Any]] = Provided("runtime.ir.drawing", late=True)
BUILDING: Provided[Callable[[Graph], Any]] = Provided("runtime.tensors.trace")
"""The context manager in which ops become nodes of a graph that is built by hand."""
TENSOR: Provided[Callable[[Value], Any]] = Provided("runtime.tensors.tensor")
"""The tensor that is a value of a graph."""


class Region(NamedTuple):
    """A graph that a node holds, the name that it goes by there, and the inputs of the node that it takes."""

    name: str
    graph: Graph
    takes: Sequence[Value]

    @property
    def pairs(self) -> Iterator[tuple[Value, Value]]:
        """What the graph takes, each with its own input for it: the last ones; others get what comes of running."""
        inputs = self.graph.inputs
        return zip(self.takes, inputs[len(inputs) - len(self.takes) :], strict=True)


class Mark(NamedTuple):
    """A point in a graph's growth, from `Graph.mark`: the last node, its place, and how much there is of others."""

    last: Node | None
    nodes: int
    parameters: int
    captures: int
    constants: int


class Graph:
    """A graph under construction or finished.

    Attributes
    ----------
    parent: the graph that this one is nested in; its values, and those of its ancestors, can be captured.
    nodes: in program order.
    parameters: the values given by the caller, one ``placeholder`` node each.
    captures: value of the parent -> value (a ``placeholder``) in this graph, in order of capture.
    inputs: parameters, then captured placeholders.
    outputs: set by whoever finishes the graph.
    origins: placeholder of a capture, in use or not -> value of the parent.
    never_returns: True for a branch that always raises; its ``outputs`` are then empty and mean nothing.
    calls_itself: whether nodes in it, or in graphs that it holds or calls, call it.
    notes: what others have noted about it, see `runtime.ir.notes`.
    """

    def __init__(self, name: str = "graph", parent: Graph | None = None) -> None:
        self.name = name
        self.parent = parent
        self.nodes: list[Node] = []
        self.parameters: list[Value] = []
        self.captures: dict[Value, Value] = {}
        self.origins: dict[Value, Value] = {}
        # By value of any graph around this one, what it was here when it was last asked for.
        self._from_distance: dict[Value, Value] = {}
        # Graphs around this one, of which constants have been repeated here.
        self._around: set[Graph] = set()
        self.outputs: list[Value] = []
        self.never_returns = False
        self.calls_itself = False
        self.notes: dict[Note[Any], Any] = {}
        self.scope = ""
        self._constants: dict[int, tuple[Any, Value]] = {}
        self._counts: dict[str, int] = {}
        self._effect: tuple[int, bool] | None = None

    # Building

    def add(self, op: Op, inputs: Sequence[Value], attributes: dict[str, Any], *, name: str | None = None,
            where: Place | None = None, types: Sequence[Type] | None = None,
            subgraphs: tuple[Graph, ...] = ()) -> Node:  # fmt: skip
        """Append a node; ``types`` skips inference. Inputs must be values of this graph (see `capture`)."""
        if types is None:
            inferred = op.infer(*[value.type for value in inputs], **attributes)
            types = (inferred,) if type(inferred) is Type else inferred  # type: ignore[assignment]
        node = op.node(self, op, inputs, attributes, self.unique_name(name or op.name), where, subgraphs)
        if len(types) == 1:  # type: ignore[arg-type]
            node.outputs = (Value(node, 0, types[0]),)  # type: ignore[index]
        else:
            node.outputs = tuple([Value(node, i, t) for i, t in enumerate(types)])  # type: ignore[arg-type]
        self.nodes.append(node)
        return node

    @contextlib.contextmanager
    def inserting_before(self, node: Node) -> Iterator[None]:
        """Nodes that are added meanwhile stand in front of a node."""
        place = self.nodes.index(node)
        rest = self.nodes[place:]
        del self.nodes[place:]
        try:
            yield
        finally:
            self.nodes += rest

    def replace(self, node: Node, new: Node, more: Sequence[Type] = ()) -> None:
        """Put a new node in the place of one: what this gave, that gives, and values of some more types."""
        self.nodes[self.nodes.index(node)] = new
        for value in node.outputs:
            value.node = new
        count = len(node.outputs)
        new.outputs = (*node.outputs, *[Value(new, count + i, type_) for i, type_ in enumerate(more)])

    def parameter(self, type: Type, name: str = "input") -> Value:
        """A new parameter of the given type."""
        value = self.placeholder(type, name)
        self.parameters.append(value)
        return value

    def placeholder(self, type: Type, name: str) -> Value:
        """A value that the graph is given, as its parameters and what it captures are."""
        return self.add(PRIMITIVES["placeholder"], (), {}, name=name, types=(type,)).outputs[0]

    def constant(self, array: np.ndarray[Any, Any], name: str | None = None,
                 where: Place | None = None) -> Value:  # fmt: skip
        """A ``constant`` node for an array that nobody will change; the same array object gives the same node."""
        known = self._constants.get(id(array))
        if known is not None:
            return known[1]
        node = self.add(PRIMITIVES["constant"], (), {"value": array}, name=name or "Const", where=where,
                        types=(Type(from_numpy(array.dtype), array.shape),))  # fmt: skip
        self._constants[id(array)] = array, node.outputs[0]
        return node.outputs[0]

    def capture(self, value: Value) -> Value:
        """This graph's own value for a value of itself or of an enclosing graph.

        Constants are repeated, everything else becomes an input of every graph in between. Raises `StagingError`
        for a value of a graph that does not enclose this one.
        """
        if value.node.graph is self:
            return value
        if value.node.op.name == "constant":
            self._check_is_around(value)
            return self.constant(value.node.attributes["value"], where=value.node.where)
        graph, between = self, []
        while (found := graph._known(value)) is None:
            between.append(graph)
            if graph.parent is None:
                raise foreign_value_error(value)
            graph = graph.parent
        for graph in reversed(between):
            found = graph._from_distance[value] = graph._capture_of_parent(found)
        return found

    def _check_is_around(self, value: Value) -> None:
        graph, between, source = self, [], value.node.graph
        while graph is not source and source not in graph._around:
            between.append(graph)
            if graph.parent is None:
                raise foreign_value_error(value)
            graph = graph.parent
        for graph in between:
            graph._around.add(source)

    def _known(self, value: Value) -> Value | None:
        """What a value of this graph, or of one around it, is here already."""
        if value.node.graph is self:
            return value
        inner = self._from_distance.get(value)
        outer = None if inner is None else self.origins.get(inner)
        return inner if outer is not None and self.captures.get(outer) is inner else None

    def _capture_of_parent(self, outer: Value) -> Value:
        inner = self.captures.get(outer)
        if inner is None:
            inner = self.captures[outer] = self.placeholder(outer.type, outer.node.name.rpartition("/")[2])
            self.origins[inner] = outer
        return inner

    def encloses_me(self, other: Graph) -> bool:
        graph: Graph | None = self
        while graph is not None:
            if graph is other:
                return True
            graph = graph.parent
        return False

    def unique_name(self, base: str) -> str:
        """``base``, ``base_1``, … within this graph and the current name scope."""
        name = self.scope + base
        counts = self._counts
        count = counts.get(name)
        if count is None:
            counts[name] = 1
            return name
        while True:
            unique = f"{name}_{count}"
            count += 1
            if unique not in counts:
                counts[name] = count
                counts[unique] = 1
                return unique

    def mark(self) -> Mark:
        """The present end of the graph, for `truncate`."""
        last = self.nodes[-1] if self.nodes else None
        return Mark(last, len(self.nodes), len(self.parameters), len(self.captures), len(self._constants))

    def truncate(self, mark: Mark) -> None:
        """Forget every node, parameter, capture and name made since the mark; keep what was inserted before it."""
        end = mark.nodes if mark.last is None else self.nodes.index(mark.last.latest, mark.nodes - 1) + 1
        for node in self.nodes[end:]:
            self._counts.pop(node.name, None)
            base, _, suffix = node.name.rpartition("_")
            if base in self._counts and suffix.isdigit():
                self._counts[base] = min(self._counts[base], int(suffix))
        del self.nodes[end:]
        del self.parameters[mark.parameters :]
        for table, length in ((self.captures, mark.captures), (self._constants, mark.constants)):
            while len(table) > length:
                table.popitem()
        self._effect = None
        self.notes = {note: content for note, content in self.notes.items() if not note.of_parts}

    def drop_constants(self, used: Collection[Value]) -> None:
        """Forget the arrays of constants that are not among the values that are used."""
        self._constants = {known: each for known, each in self._constants.items() if each[1] in used}

    def drop_unused_captures(self) -> None:
        """Forget captures that no node and no output of this graph uses."""
        used = {value for node in self.nodes for value in node.inputs}
        used.update(self.outputs)
        unused = {inner.node for inner in self.captures.values() if inner not in used}
        if unused:
            self.captures = {outer: inner for outer, inner in self.captures.items() if inner.node not in unused}
            self.nodes = [node for node in self.nodes if node not in unused]

    # Looking

    @property
    def inputs(self) -> list[Value]:
        return [*self.parameters, *self.captures.values()]

    @property
    def effect(self) -> bool:
        """Whether any node has an effect."""
        if self._effect is None or self._effect[0] != len(self.nodes):
            self._effect = len(self.nodes), any(node.effect for node in self.nodes)
        return self._effect[1]

    def walk(self) -> Iterator[Node]:
        """Every node, those of sub-graphs after the node that holds them; each graph once."""
        seen = {self}
        stack = [iter(self.nodes)]
        while stack:
            for node in stack[-1]:
                yield node
                fresh = [graph for graph in node.subgraphs if graph not in seen]
                if fresh:
                    seen.update(fresh)
                    stack.append(iter([inner for graph in fresh for inner in graph.nodes]))
                    break
            else:
                stack.pop()

    def get_operations(self) -> list[Node]:
        return list(self.nodes)

    def as_graph_def(self) -> Any:
        """The graph as plain data, in the form of TensorFlow's ``GraphDef``."""
        return GRAPH_DEF.function(self)

    def show(self) -> Any:
        """The graph as a `Picture`, which notebooks show, and which can be saved; branches and loops are boxes."""
        return PICTURE.function(self)

    def as_default(self) -> Any:
        """A context manager: ops applied inside it become nodes of this graph."""
        return BUILDING.function(self)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor ``node:0``. Raises `KeyError` when the graph has none of that name."""
        operation, _, index = name.partition(":")
        outputs = self.get_operation_by_name(operation).outputs
        if not index.isdecimal() or int(index) >= len(outputs):
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist")
        return TENSOR.function(outputs[int(index)])

    def get_operation_by_name(self, name: str) -> Node:
        """The node of a name. Raises `KeyError` when the graph has none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self.nodes)} nodes>"

    def __str__(self) -> str:
        return TEXT.function(self)


def foreign_value_error(value: Value) -> StagingError:
    """The error for a graph tensor used outside the function that made it."""
    made, used = value.node.location, user_location()
    place = made if used is None else used
    return InaccessibleTensorError(
        f"the graph tensor {value.name!r} of {value.node.graph.name!r} is used outside the graph it belongs to"
        + ("" if made is None else "; it was made here:" if used is None else f"; it was made in {made.told()}"),
        **({} if place is None else place._asdict()),
        remedy="return the tensor from the traced function instead of keeping it in an object or a variable; what "
        "tf.py_function calls takes it as an argument",
    )
