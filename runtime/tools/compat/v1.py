"""`tf.compat.v1`: graphs built by hand, and sessions that run parts of them, as in TensorFlow 1.

>>> import autograph as tf
>>> with tf.Graph().as_default():
...     x = tf.compat.v1.placeholder(tf.float32, shape=(None, 2))
...     y = tf.matmul(x, x)
...     with tf.compat.v1.Session() as session:
...         session.run(y, {x: [[1.0, 2.0], [3.0, 4.0]]})
array([[ 7., 10.],
       [15., 22.]], dtype=float32)
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import FailedPreconditionError, InvalidArgumentError, InvalidTypeError
from autograph.tracebacks import leaving

from ...base import nest, shapes
from ...base.dtypes import as_dtype, float32
from ...engines.executable import Executable
from ...gradient.copying import copy_node
from ...ir.graph import Graph, Node, Type, Value
from ...ir.notes import BY_HAND, CONTROL_INPUTS
from ...ir.primitive import PLACEHOLDER
from ...ops.control import identity
from ...state.dependencies import group
from ...state.variable import Variable as Variable
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from ...tensors.spec import TensorSpec
from ...tensors.tensor import DEFAULT_SESSION, SymbolicTensor

if TYPE_CHECKING:
    from ...tensors.likes import DTypeLike, ShapeLike

__all__ = [
    "Graph", "Session", "Variable", "get_default_graph", "get_default_session", "global_variables",
    "global_variables_initializer", "placeholder", "placeholder_with_default", "trainable_variables",
]  # fmt: skip


class _Local(threading.local):
    def __init__(self) -> None:
        self.graph = Graph("default")
        self.session: Session | None = None


_local = _Local()


def get_default_graph() -> Graph:
    """The graph that ops are added to, set by ``with graph.as_default():``; else one that belongs to this thread."""
    return trace.current_graph() or _local.graph


@DEFAULT_SESSION.give
def get_default_session() -> Session | None:
    """The session of the innermost ``with session:``; None outside."""
    return _local.session


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> SymbolicTensor:
    """A tensor of the default graph whose value is given to `Session.run`.

    Parameters
    ----------
    dtype: of the values; shape: with None for sizes that differ; left out: any shape.

    Raises `RuntimeError` where no graph is the default one.
    """
    graph = trace.current_graph()
    if graph is None:
        raise FailedPreconditionError(
            "tf.placeholder() is not compatible with eager execution: use it in `with tf.Graph().as_default():`"
        )
    spec = TensorSpec(shape, as_dtype(float32 if dtype is None else dtype))
    return SymbolicTensor(graph.parameter(Type(spec.dtype, spec.type.shape), name or "Placeholder"))


def placeholder_with_default(input: Any, shape: ShapeLike = None, name: str | None = None) -> Any:
    """A tensor that has a value of its own unless another one is given to `Session.run`."""
    return identity(input, name=name or "PlaceholderWithDefault")


def global_variables() -> list[Variable]:
    """The variables made in the default graph."""
    return [variable for variable, _ in BY_HAND.of(get_default_graph())]


def trainable_variables() -> list[Variable]:
    """Those variables made in the default graph that are trainable."""
    return [variable for variable in global_variables() if variable.trainable]


def global_variables_initializer() -> Node:
    """The operation that gives the variables made in the default graph their initial values, which they start with."""
    graph = get_default_graph()
    with trace.building(graph):
        return group(*[variable.assign(initial) for variable, initial in BY_HAND.of(graph)], name="init")


class Session:
    """Runs parts of a graph.

    Parameters
    ----------
    graph: the default graph when left out.
    target, config: accepted as in TensorFlow.

    >>> with Graph().as_default():
    ...     total = convert_to_tensor(2) + 3
    ...     Session().run(total)
    np.int32(5)
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        self.graph = get_default_graph() if graph is None else graph
        self._closed = False
        self._parts: dict[Any, Executable] = {}

    def run(self, fetches: object, feed_dict: Mapping[Any, Any] | None = None, options: object = None,
            run_metadata: object = None) -> Any:  # fmt: skip
        """The values of tensors, computed from those that are fed; operations are run, and give None.

        Only what the fetches need is run, in the order of the program.

        Parameters
        ----------
        fetches: a tensor, a variable, an operation, the name of one, or a nested structure of them.
        feed_dict: from tensors, or their names, to their values.

        Raises `RuntimeError` when the session is closed or its graph empty, `InvalidArgumentError` for placeholders
        without a value, `ValueError` for values of another shape and names that the graph does not have, `TypeError`
        for other fetches, and what the graph raises.
        """
        if self._closed:
            raise FailedPreconditionError("Attempted to use a closed Session.")
        if not self.graph.nodes:
            raise FailedPreconditionError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        leaves = nest.flatten(fetches)
        wanted = [self._fetched(leaf) for leaf in leaves]
        feeds = {self._value(tensor): value for tensor, value in (feed_dict or {}).items()}
        arrays = [self._array(value, given) for value, given in feeds.items()]
        key = tuple(wanted), tuple(feeds), len(self.graph.nodes)
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = Executable(_part(self.graph, wanted, list(feeds)))
        with trace.building(None):
            results = iter(part.plan.run(*arrays))
            found = [next(results) if isinstance(each, Value) else None for each in wanted]
            values = [leaf.numpy() if isinstance(leaf, Variable) else _shown(result)
                      for leaf, result in zip(leaves, found, strict=True)]  # fmt: skip
        return nest.pack_sequence_as(fetches, values)

    def _fetched(self, leaf: object) -> Value | Node | None:
        if isinstance(leaf, Variable):
            return leaf.operation
        if isinstance(leaf, Node):
            return self._own(leaf, leaf)
        if isinstance(leaf, str) and ":" not in leaf:
            return self._named(leaf)
        if isinstance(leaf, (SymbolicTensor, str)):
            return self._value(leaf)
        raise InvalidTypeError(
            f"Argument `fetch` = {leaf!r} has invalid type {type(leaf).__name__!r}: it must be a string, a tensor, "
            "an operation or a variable"
        )

    def _value(self, tensor: object) -> Value:
        if isinstance(tensor, str):
            name, _, index = tensor.partition(":")
            outputs = self._named(name).outputs
            if not index.isdecimal() or int(index) >= len(outputs):
                raise InvalidArgumentError(f"the operation {name!r} has no output {index!r}: it has {len(outputs)}")
            return outputs[int(index)]
        if not isinstance(tensor, SymbolicTensor):
            raise InvalidTypeError(f"Cannot interpret feed_dict key as Tensor: {tensor!r}")
        return self._own(tensor.value, tensor.value.node)

    def _own(self, found: object, node: Node) -> Any:
        if node.graph is not self.graph:
            raise InvalidArgumentError(
                f"{node.name!r} is not an element of this session's graph, but of {node.graph!r}"
            )
        return found

    def _named(self, name: str) -> Node:
        try:
            return self.graph.get_operation_by_name(name)
        except KeyError as error:
            raise InvalidArgumentError(error.args[0]) from None

    def _array(self, value: Value, given: object) -> np.ndarray[Any, Any]:
        array = convert_to_tensor(given, value.type.dtype).array
        if not shapes.is_compatible(array.shape, value.type.shape):
            raise InvalidArgumentError(
                f"Cannot feed value of shape {array.shape} for Tensor {value.name}, which has shape "
                f"{shapes.show(value.type.shape)}"
            )
        return array

    def close(self) -> None:
        """Forget what has been prepared; the session can't be used any more."""
        self._closed = True
        self._parts.clear()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """``with session.as_default():`` `get_default_session` gives this one."""
        before, _local.session = _local.session, self
        try:
            yield self
        finally:
            _local.session = before

    def __enter__(self) -> Session:
        self._entered = [self.graph.as_default(), self.as_default()]
        for each in self._entered:
            each.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for each in reversed(self._entered):
            each.__exit__(None, None, None)
        self.close()


def _part(graph: Graph, wanted: Sequence[Value | Node | None], fed: Sequence[Value]) -> Graph:
    """A graph of its own, of what some values and operations need, with the fed values as parameters.

    Raises `InvalidArgumentError` for a placeholder that is needed and not fed.
    """
    part = Graph(graph.name)
    values = {value: part.parameter(value.type, value.node.name) for value in fed}
    roots = [each for each in wanted if each is not None]
    needed = {each.node if isinstance(each, Value) else each.latest for each in roots if each not in values}
    control_inputs = {node.latest: before for node, before in CONTROL_INPUTS.of(graph).items()}
    for node in reversed(graph.nodes):
        if node in needed:
            needed.update(value.node for value in node.inputs if value not in values)
            needed.update([each.latest for each in control_inputs.get(node, ())])
    for node in graph.nodes:
        if node not in needed:
            continue
        if node.op is PLACEHOLDER:
            raise InvalidArgumentError(
                f"You must feed a value for placeholder tensor {node.name!r} with dtype {node.outputs[0].dtype.name} "
                f"and shape {shapes.show(node.outputs[0].shape)}"
            )
        fed_outputs = {value: values[value] for value in node.outputs if value in values}
        copy_node(node, part, values)
        values.update(fed_outputs)
    part.outputs = [values[each] for each in roots if isinstance(each, Value)]
    return part


def _shown(result: object) -> Any:
    return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result


leaving.public_module(__name__)
