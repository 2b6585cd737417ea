"""A graph becomes the text of one function: scalars are registers, loops and branches are basic blocks.

Shapes are those of the arguments at hand, so that all is static inside. Whatever the plan would raise or warn of makes
the function return early: nothing has happened by then that anyone can see, and the plan runs from the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....base.dtypes import DType, bool_, from_numpy, int64
from ....ir import records
from ....ir.graph import Graph, Node, Type, Value
from ....ir.op import Op
from ....ir.primitive import CONSTANT, PLACEHOLDER, Cond, While
from ....ir.total import is_total
from ...held import Held, changed_in, held_in
from ..supported import ENGINE, TYPES
from .arrays import (
    MOST_OPERATIONS,
    Buffer,
    Expression,
    Gather,
    Ints,
    Load,
    Loops,
    Map,
    Scopes,
    Splat,
    broadcast,
    buffers,
    leaves,
    scalar_of,
)
from .emitter import Emitter, NotLowered, type_of
from .forms import Elementwise, apply, is_made_anew
from .raising import leave
from .rows import Rows
from .scheduling import reads_first
from .workspace import Workspace

# Loops over fewer elements stay in the function that they are in.
_SMALL_NEST = 64
Lower = Callable[["Lowering", Node, list[Expression]], Any]
"""How an op that is not elementwise is lowered: ``lower(lowering, node, inputs)`` gives an expression, or several."""

# Ops of constants that are computed while a graph is lowered, because shapes depend on them.
_FOLDED = frozenset((
    records.get_item, records.concat, records.stack, records.squeeze, records.reshape, records.range, records.prod,
    records.sum, records.gather, records.unstack,
))  # fmt: skip


class Fails(Exception):
    """Whatever the numbers are, the plan raises an error here: nothing that follows in the block can run.

    It is raised where a basic block of the function may end: not while a loop nest is written.
    """


class Lowering:
    """Lowers one graph for arguments of given types, of known shapes. The results are in the attributes.

    After the graph's inputs come what its variables hold (`held.held_in`); after its outputs, what it lets them hold.

    Attributes
    ----------
    e: has the text of the function.
    outputs: the types of the results, of known shape; ``rows``: those that are the addresses of arrays with a length,
        with the types of their elements.
    kept: the arrays whose memory the code reads, and other objects that it uses.
    """

    def __init__(self, graph: Graph, types: Sequence[Type]) -> None:
        self.e = Emitter()
        self.workspace = Workspace()
        self.scopes = Scopes()
        self.kept: list[Any] = []
        self.values: dict[Value | Held, Expression] = {}
        self.work = 0
        self.changed: dict[Graph, list[Held]] = {}
        """What `held.changed_in` has found."""
        self.offers: dict[Value, Load] = {}
        """Places for values, which are taken if new ones would be made for them."""
        self._offered: Load | None = None
        self._results: dict[int, Load] = {}
        self.node: Node | None = None
        """The node that is being lowered, for `NotLowered` errors; and the one of the graph itself that it is in."""
        self.outermost: Node | None = None
        self._last: dict[Value, Node] = {}
        self._constants: dict[int, Load] = {}
        self.inputs = types
        self.outputs: list[Type] = []
        self.rows: dict[int, Type] = {}
        self._graph = graph
        self.is_pure = not changed_in(graph, known=self.changed)
        """Whether no variable is changed."""
        self.e.label = "body"

    def lower(self) -> bool:
        """Write the function. Raises `NotLowered`, when ``node`` says where.

        False: there is no function, because the plan raises an error for all arguments of these shapes.
        """
        graph = self._graph
        given: list[Value | Held] = [*graph.inputs, *held_in(graph)]
        for i, (value, type_) in enumerate(zip(given, self.inputs, strict=True)):
            self.values[value] = self._argument(i, type_)
        for i, value in enumerate(graph.outputs):
            shape = value.type.shape
            if shape and None not in shape and is_made_anew(value) and value not in self.offers:
                self.offers[value] = self._result(i, value.type.dtype, shape)  # type: ignore[arg-type]
        results = self.block(graph, graph.outputs)
        if results is None:
            return False
        results += [self.values[key] for key in changed_in(graph)]
        self.rows = {i: Type(x.dtype, x.row) for i, x in enumerate(results) if isinstance(x, Rows)}
        self.outputs = [Type(int64, ()) if i in self.rows else Type(x.dtype, x.shape) for i, x in enumerate(results)]
        self._return(results)
        return True

    def _argument(self, i: int, type_: Type) -> Expression:
        e = self.e
        assert type_.shape is not None
        address = e.let_first(f"getelementptr ptr, ptr %arguments, i64 {i}")
        pointer = e.let_first(f"load ptr, ptr {address}")
        kind = type_of(type_.dtype)
        if type_.shape != ():
            return Load(Buffer(pointer, type_.dtype, math.prod(type_.shape)), type_.shape)  # type: ignore[arg-type]
        if kind == "i1":
            return Splat((), bool_, e.let_first(f"icmp ne i8 {e.let_first(f'load i8, ptr {pointer}')}, 0"))
        return Splat((), type_.dtype, e.let_first(f"load {kind}, ptr {pointer}"))

    def _return(self, results: Sequence[Expression]) -> None:
        pairs = []
        for i, x in enumerate(results):
            if not isinstance(x, Rows):
                pairs.append((self._results.get(i) or self._result(i, x.dtype, x.shape), x))
        self.store(pairs)
        for i, x in enumerate(results):
            if isinstance(x, Rows):
                x.give(self.e, self._result(i, int64, ()).buffer.pointer)
        self.e.jump("finished")

    def _result(self, i: int, dtype: DType, shape: Ints) -> Load:
        """The place of a result, which may be used as soon as it is known."""
        address = self.e.let_first(f"getelementptr ptr, ptr %outputs, i64 {i}")
        pointer = self.e.let_first(f"load ptr, ptr {address}")
        found = self._results[i] = Load(Buffer(pointer, dtype, math.prod(shape), slot=()), shape)
        return found

    # Blocks and nodes

    def block(self, graph: Graph, results: Sequence[Value]) -> list[Expression] | None:
        """Lower the nodes of a graph whose inputs have values; afterwards its values are forgotten.

        None: the graph fails in any case, and the basic block has ended.
        """
        given = [self.values[value] for value in graph.inputs] if graph.never_returns else []
        mine, nodes = list(graph.inputs), [] if graph.never_returns else reads_first(graph.nodes)
        last = {value: node for node in nodes for value in node.inputs}
        for value in results:
            last.pop(value, None)
        self._last.update(last)
        stay = set(results)
        dying: dict[Node, list[Value]] = {}
        for value, node in last.items():
            dying.setdefault(node, []).append(value)
        for value in graph.inputs:
            if value not in last and value not in stay:
                self.values.pop(value, None)
        try:
            for node in nodes:
                if node.op is PLACEHOLDER:
                    continue
                self.node = node
                if graph is self._graph:
                    self.outermost = node
                found = self._lower(node)
                self._offered = None
                for value in dying.get(node, ()):
                    self.values.pop(value, None)
                for value, x in zip(node.outputs, found, strict=True):
                    mine.append(value)
                    if value in last or value in stay:
                        self.values[value] = x
            if graph.never_returns:
                leave(self, graph, given)
                return None
            return [self.values[value] for value in results]
        except Fails:
            self.e.jump("failed")
            return None
        finally:
            for value in mine:
                self.values.pop(value, None)

    def dies_at(self, value: Value | Held, node: Node) -> bool:
        """Whether a value is used by a node for the last time, and once. What a variable held is when that changes."""
        if isinstance(value, Held):
            return True
        return self._last.get(value) is node and list(node.inputs).count(value) == 1

    def _lower(self, node: Node) -> Sequence[Expression]:
        op = node.op
        if op is CONSTANT:
            return [self.constant(node.attributes["value"])]
        inputs = [self.values[value].resolved() for value in node.inputs]
        self._offered = self.offers.get(node.outputs[0]) if node.outputs and not isinstance(node, While) else None
        if isinstance(node, While | Cond):
            return op.lowerings[ENGINE](self, node, inputs)
        self._check(node, inputs)
        folded = self._folded(node, inputs)
        if folded is not None:
            return folded
        lower = op.lowerings.get(ENGINE)
        if lower is None:
            raise NotLowered(f"the op {op.name!r} has no form in machine code")
        if type(lower) is Elementwise:
            return [self.elementwise(op, inputs, self.infer(node, inputs)[0].dtype)]
        found = lower(self, node, inputs)
        return [found] if isinstance(found, Expression) else found

    def _check(self, node: Node, inputs: Sequence[Expression]) -> None:
        """Raise `Fails` if a node takes no inputs of these shapes, of which tracing has not known all."""
        if all(x.shape == value.type.shape for x, value in zip(inputs, node.inputs, strict=True) if x.has_shape):
            return
        if all(x.has_shape for x in inputs):
            try:
                self.infer(node, inputs)
            except Exception:  # the plan will say what is wrong
                raise Fails from None

    def infer(self, node: Node, inputs: Sequence[Expression]) -> list[Type]:
        """The types of a node's outputs for inputs of these shapes."""
        return self.infer_op(node.op, inputs, **node.attributes)

    def infer_op(self, op: Op, inputs: Sequence[Expression], **attributes: Any) -> list[Type]:
        """The types of what an op gives for inputs of these shapes."""
        found = op.infer(*[Type(x.dtype, x.shape) for x in inputs], **attributes)
        return [found] if type(found) is Type else list(found)  # type: ignore[arg-type]

    def static_shape(self, type_: Type) -> Ints:
        """The shape of a type; raises `NotLowered` where it is not known."""
        if type_.shape is None or None in type_.shape:
            raise NotLowered(f"the shape of {type_} depends on values")
        return type_.shape  # type: ignore[return-value]

    def _folded(self, node: Node, inputs: Sequence[Expression]) -> list[Expression] | None:
        """Constants for a node of constants."""
        if node.op.effect or not inputs or any(x.constant is None or x.size > 64 for x in inputs):
            return None
        if node.op not in _FOLDED and not is_total(node.op, node.inputs, node.attributes):
            return None
        try:
            with np.errstate(all="ignore"):
                result = node.op.numpy(*[x.constant for x in inputs], **node.attributes)
        except Exception:  # what goes wrong goes wrong when the graph runs
            return None
        results = result if type(result) is tuple else (result,)
        return [self.constant(np.asarray(each)) for each in results]

    def constant(self, array: np.ndarray) -> Expression:
        """A known array, or number; of other dtypes than code knows, one that only errors can tell of."""
        dtype = from_numpy(array.dtype)
        if dtype not in TYPES:
            unknown = Splat(array.shape, dtype, "")
            unknown.constant = array
            return unknown
        if array.ndim == 0:
            return scalar_of(self.e, array, dtype)
        known = self._constants.get(id(array))
        if known is not None:
            return known
        data = np.ascontiguousarray(array)
        if data.size and data.tobytes() == data.flat[0].tobytes() * data.size:
            result: Expression = Splat(array.shape, dtype, scalar_of(self.e, array.flat[0], dtype).register)
        else:
            pointer = self.e.address(data.ctypes.data)
            result = Load(Buffer(pointer, dtype, data.size), data.shape)
            self._constants[id(array)] = result
            self.kept += [array, data]
        result.constant = array
        return result

    # Expressions

    def elementwise(self, op: Op, inputs: Sequence[Expression], dtype: DType) -> Expression:
        """An elementwise op of expressions that broadcast."""
        dtypes = [x.dtype for x in inputs]

        def compute(e: Emitter, *registers: str) -> str:
            return apply(e, op, registers, dtypes, dtype)

        return self.map(compute, inputs, dtype)

    def map(self, compute: Callable[..., str], inputs: Sequence[Expression], dtype: DType) -> Expression:
        """``compute(e, *registers)`` for each element of inputs that broadcast; at once where they are scalars."""
        shape = np.broadcast_shapes(*[x.shape for x in inputs])
        if shape == ():
            return Splat((), dtype, compute(self.e, *[self.scalar(x) for x in inputs]))
        given = []
        for x in inputs:
            x = x.resolved()
            if x.operations and x.size < math.prod(shape):
                x = self.materialised(x)
            given.append(broadcast(x, shape))
        # what can't be lowered is told now, not when the element is computed
        trial = Emitter()
        compute(trial, *[x.register if isinstance(x, Splat) else "%x" for x in given])
        result = Map(shape, dtype, compute, given)
        # errors and warnings don't depend on which elements are needed afterwards
        if result.operations > MOST_OPERATIONS or trial.may_fail:
            return self.materialised(result)
        return result

    def scalar(self, x: Expression) -> str:
        """The register of an expression of one element."""
        x = x.resolved()
        if isinstance(x, Splat):
            return x.register
        return self.loops(x.shape, [x]).element(x)

    def loops(self, shape: Ints, roots: Sequence[Expression]) -> Loops:
        return Loops(self.e, None, shape, roots)

    @contextmanager
    def nest(self, shape: Ints, roots: Sequence[Expression]) -> Iterator[Loops]:
        """Loops over a shape as a function of their own, so that LLVM sees like ones once, and no huge function."""
        parameters: dict[str, str] = {}

        def outside(register: str, kind: str) -> str:
            if not register.startswith("%"):
                return register
            parameters[register] = kind
            return f"%p{list(parameters).index(register)}"

        if math.prod(shape) < _SMALL_NEST:
            with self.e.collecting():
                yield self.loops(shape, roots)
        else:
            with self.e.function(parameters, noinline=True):
                yield Loops(self.e, self.scopes, shape, roots, outside)

    def new_buffer(self, dtype: DType, shape: Ints) -> Load:
        """A part of the workspace for an array."""
        offered, self._offered = self._offered, None
        if offered is not None and offered.dtype is dtype and offered.shape == shape:
            return offered
        size = math.prod(shape)
        slot = self.workspace.take(size * (1 if dtype is bool_ else dtype.numpy.itemsize))
        pointer = self.e.let_first(f"getelementptr inbounds i8, ptr %workspace, i64 {slot.offset}")
        return Load(Buffer(pointer, dtype, size, slot), shape)

    def materialised(self, x: Expression, ordered: bool = False) -> Load:
        """The elements in memory; ``ordered``: in row order, without gaps."""
        x = x.resolved()
        if isinstance(x, Load) and (not ordered or x.is_contiguous):
            return x
        target = self.new_buffer(x.dtype, x.shape)
        self.store([(target, x)])
        if isinstance(x, Map):
            x.stored = target
        return target

    def is_owned(self, x: Expression, value: Value | Held) -> bool:
        """Whether nothing but a value can see the memory of its array, which is all of a part of the workspace."""
        if not isinstance(x, Load) or x.buffer.slot is None or x.moved is not None or x.offset:
            return False
        if x.buffer.size != x.size or not x.is_contiguous:
            return False
        others = [other for each, other in self.values.items() if each != value]
        return x.buffer not in buffers(others)

    # Storing

    def store(self, pairs: Iterable[tuple[Load, Expression]]) -> None:
        """Store expressions, each for all its points, as if all were computed before the first is stored."""
        waiting = [(target, x.resolved()) for target, x in pairs]
        waiting = [(target, x) for target, x in waiting if not (isinstance(x, Load) and x.same_place(target))]
        by_shape: dict[Ints, list[tuple[Load, Expression]]] = {}
        late = []
        readers: dict[Buffer, list[tuple[Load | Gather, Ints]]] = {}
        for target, x in waiting:
            for leaf in leaves([x]):
                if isinstance(leaf, (Load, Gather)):
                    readers.setdefault(leaf.buffer, []).append((leaf, target.shape))
        for target, x in waiting:
            if self._disturbs(target, readers.get(target.buffer, ())):
                temporary = self.new_buffer(target.dtype, target.shape)
                late.append((target, temporary))
                target = temporary
            by_shape.setdefault(target.shape, []).append((target, x))
        for shape, group in by_shape.items():
            self._store_group(shape, group)
        for target, temporary in late:
            self._store_group(target.shape, [(target, temporary)])

    def _disturbs(self, target: Load, readers: Iterable[tuple[Load | Gather, Ints]]) -> bool:
        """Whether storing into a target changes what is read of its buffer, for the points of the shapes beside it.

        What is read point by point, for the target's own points, is read before it is changed.
        """
        return any(shape != target.shape or not isinstance(leaf, Load) or not leaf.same_place(target)
                   for leaf, shape in readers)  # fmt: skip

    def _store_group(self, shape: Ints, pairs: Sequence[tuple[Load, Expression]]) -> None:
        size = math.prod(shape)
        if size == 0:
            return
        extra = self.also_needed(shape, [x for _, x in pairs], [x for _, x in pairs])
        pairs = [*pairs, *extra]
        roots: list[Expression] = [part for pair in pairs for part in pair]
        self.work += size
        with self.nest(shape, roots) as loops:
            loops.open()
            registers = [loops.element(x) for _, x in pairs]
            for (target, _), register in zip(pairs, registers, strict=True):
                loops.store(target, register)
            loops.close()
        for target, x in extra:
            x.stored = target

    def also_needed(self, shape: Ints, roots: Sequence[Expression],
                    stored: Sequence[Expression] = ()) -> list[tuple[Load, Map]]:  # fmt: skip
        """What is computed on the way to roots, and will be needed again: it is to be stored too."""
        inside = [x for x in leaves(roots) if isinstance(x, Map) and x.operations > 1 and x.shape == shape]
        done = {id(x) for x in stored}
        inside = [x for x in inside if id(x) not in done]
        if not inside:
            return []
        needed: set[int] = set()
        later = [x.resolved() for value, x in self.values.items() if self._last.get(value) is not self.node]  # type: ignore[arg-type]
        stack = [x for x in later if isinstance(x, Map)]
        while stack:
            x = stack.pop()
            if id(x) not in needed and id(x) not in done:
                needed.add(id(x))
                stack += [part for part in (each.resolved() for each in x.parts) if isinstance(part, Map)]
        return [(self.new_buffer(x.dtype, shape), x) for x in inside if id(x) in needed]
