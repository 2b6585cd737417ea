"""Applying ops: as nodes of the graph that this thread is building, or at once on values when there is none."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import (
    AutographError,
    IndexOutOfRangeError,
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
)
from autograph.tracebacks import trim

from ..base import dtypes, shapes
from ..base.float_warnings import ignore, restore
from ..base.places import Place, is_user_file, user_code, user_location
from ..base.provided import Provided
from ..ir import records
from ..ir.graph import BUILDING, Graph, Node, Type, Value, foreign_value_error
from ..ir.notes import BY_HAND, Note
from ..ir.op import APPLY, Op
from ..ir.primitive import CONSTANT
from . import convert, numerics, promotion, undelivered
from .tensor import EagerTensor, SymbolicTensor, Tensor
from .tracing_state import (
    LOCAL,
    ambient,
    building,
    current_graph,
    current_scope,
    executing_eagerly,
    get_current_name_scope,
    inside_function,
    name_scope,
    open_graphs,
)

if TYPE_CHECKING:
    from .likes import DTypeLike

__all__ = [
    "LOCAL", "ambient", "apply", "building", "current_graph", "current_scope", "executing_eagerly",
    "get_current_name_scope", "inside_function", "is_user_file", "name_scope", "open_graphs", "run_eagerly",
    "static_value", "user_code", "user_location", "value_of",
]  # fmt: skip


RECORD_NODE: Provided[Callable[[Node], None]] = Provided("runtime.gradient.records")
"""Tells the gradient tapes of this thread, which there are, about a node."""
RUN_RECORDED: Provided[Callable[[Op, Sequence[Any], dict[str, Any]], Any]] = Provided("runtime.gradient.records")
"""Runs an op, for those tapes to see."""


EAGER_INPUTS: Note[dict[Value, weakref.ref[Any]]] = Note(
    dict, copied=lambda known, values: {values[each]: found for each, found in known.items() if each in values}
)
"""By the constant of a graph that one has become, the eager tensors from outside; they are not kept alive."""


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether a value is a tensor of a graph, whose value is not known while tracing."""
    return isinstance(tensor, SymbolicTensor)


@BUILDING.give
def building_by_hand(graph: Graph) -> building:
    """As `building`, for a graph of which a session will run parts."""
    BY_HAND.of(graph)
    return building(graph)


@APPLY.give
def apply(op: Op, *inputs: object, name: str | None = None, **attributes: object) -> Any:
    """Apply an op to tensors and what converts to them.

    While a graph is being traced this adds a node and returns symbolic tensors, also when all inputs are constants;
    else the kernel runs and the result is eager. Several outputs come as a tuple.

    Raises `InvalidArgumentError` or `TypeError`, with the user's location, when the inputs do not fit the op.
    """
    graph = LOCAL.graph
    if graph is None:
        try:
            return run_recorded(op, inputs, attributes) if LOCAL.tapes else run_eagerly(op, inputs, attributes)
        except Exception as error:
            if error.__class__ is not RecursionError:  # there may be no room to call anything
                trim(error)
            raise
    where = user_code()
    try:
        values = _values(graph, op, inputs)
        types = op.infer(*[value.type for value in values], **attributes)
    except (AutographError, TypeError, ValueError, IndexError, OverflowError) as error:
        found = _located(error, op, where)
        if isinstance(found, InvalidTypeError) and any(type(each) is SymbolicTensor for each in inputs):
            undelivered.note(found)
        raise found from error.__cause__
    single = type(types) is Type
    node = graph.add(op, values, attributes, name=name, where=where, types=(types,) if single else types)  # type: ignore[arg-type]
    if LOCAL.tapes:
        record_node(node)
    return SymbolicTensor(node.outputs[0]) if single else tuple([SymbolicTensor(value) for value in node.outputs])


def add_node(op: Op, values: Sequence[Value], attributes: dict[str, Any], types: Sequence[Type],
             name: str | None = None, subgraphs: tuple[Graph, ...] = ()) -> Node:  # fmt: skip
    """A node of the current graph with given output types, for ops that hold sub-graphs. Captures the inputs."""
    graph = LOCAL.graph
    assert graph is not None
    values = [graph.capture(value) for value in values]
    node = graph.add(op, values, attributes, name=name, where=user_code(), types=types, subgraphs=subgraphs)
    if LOCAL.tapes:
        record_node(node)
    return node


def record_node(node: Node) -> None:
    """Tell this thread's gradient tapes about a node."""
    RECORD_NODE.function(node)


def run_recorded(op: Op, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """As `run_eagerly`, for the gradient tapes of this thread to see."""
    if op.promote is not None:
        try:
            inputs = promotion.promoted(op, inputs)
        except (AutographError, TypeError, ValueError, OverflowError) as error:
            raise _located(error, op, None) from error.__cause__
    return RUN_RECORDED.function(op, inputs, attributes)


def value_of(tensor: object, dtype: DTypeLike | None = None) -> Value:
    """The current graph's value for a tensor or what converts to one: captured, or a constant node."""
    graph = LOCAL.graph
    assert graph is not None
    tensor = convert.convert_to_tensor(tensor, dtype)
    return _value(graph, tensor)


def _value(graph: Graph, tensor: Tensor) -> Value:
    if type(tensor) is SymbolicTensor:
        value = tensor.value
        return value if value.node.graph is graph else graph.capture(value)
    constant = graph.constant(tensor.array)
    EAGER_INPUTS.of(graph)[constant] = weakref.ref(tensor)
    return constant


def _values(graph: Graph, op: Op, inputs: Sequence[Any]) -> list[Value]:
    if op.promote is not None:
        inputs = promotion.promoted(op, inputs)
    values = []
    for tensor in inputs:
        if type(tensor) is SymbolicTensor:
            value = tensor.value
            values.append(value if value.node.graph is graph else graph.capture(value))
        else:
            if not isinstance(tensor, Tensor):
                tensor = convert.convert_to_tensor(tensor)
            values.append(_value(graph, tensor))
    return values


def run_eagerly(op: Op, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """Run an op's kernel now and wrap what it returns. Raises as `apply`, and what the kernel raises."""
    try:
        if op.promote is not None:
            inputs = promotion.promoted(op, inputs)
        arrays = [x.array if type(x) is EagerTensor else _array(x) for x in inputs]
        _infer_once(op, arrays, attributes)
    except (AutographError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise _located(error, op, None) from error.__cause__
    token = ignore()
    try:
        result = op.numpy(*arrays, **attributes)
    except Exception as error:
        found = kernel_error(error, op)
        if found is error:
            raise
        raise found from None
    finally:
        restore(token)
    if numerics.enabled:
        numerics.check_results(op.name, result if type(result) is tuple else (result,), arrays)
    if op.fresh is not True:
        result = _own(result, arrays)
    if type(result) is tuple:
        return tuple([convert.wrap(part) for part in result])
    return convert.wrap(result)


def _own(result: Any, arrays: Sequence[Any]) -> Any:
    """What a kernel returned, with a view where it is an input itself: gradient tapes know tensors by their arrays."""
    if type(result) is tuple:
        return tuple([_own(part, arrays) for part in result])
    if type(result) is np.ndarray:
        for array in arrays:
            if array is result:
                return result.view()
    return result


_dtype_and_shape = attrgetter("dtype", "shape")


def _infer_once(op: Op, arrays: Sequence[Any], attributes: dict[str, Any]) -> None:
    """Refuse eagerly what a trace refuses, also where the kernel would take it.

    What was accepted once is not asked again. Attributes of ops with effects are not remembered: they may be the
    user's objects.
    """
    if op.effect:
        op.infer(*_types(arrays), **attributes)
        return
    try:
        key = (*map(_dtype_and_shape, arrays), *attributes.items())
        if key in op.accepted:
            return
    except (AttributeError, TypeError):  # a list, or an attribute that can't be hashed
        op.infer(*_types(arrays), **attributes)
        return
    op.infer(*_types(arrays), **attributes)
    if len(op.accepted) >= 1000:
        op.accepted.clear()
    op.accepted.add(key)


def _types(arrays: Sequence[Any]) -> list[Type]:
    return [Type(dtypes.as_dtype(a.dtype), a.shape) if hasattr(a, "dtype")
            else Type(dtypes.string if type(a) is bytes else dtypes.variant, ()) for a in arrays]  # fmt: skip


def kernel_of(node: Node, in_place: bool = False) -> Callable[..., Any]:
    """What runs a node on arrays: its kernel, after inference where only that refuses shapes, not known till then."""
    op = node.op
    kernel = op.in_place if in_place else op.numpy
    assert kernel is not None
    given = [value.shape for value in node.inputs]
    doubtful = None in given or (op.lenient and not all(map(shapes.is_fully_defined, given)))
    if not doubtful or isinstance(kernel, np.ufunc):
        return kernel

    def run(*arrays: object, **attributes: object) -> Any:
        _infer_once(op, arrays, attributes)
        return kernel(*arrays, **attributes)

    return run


def _array(value: object) -> Any:
    tensor: Any = value if isinstance(value, Tensor) else convert.convert_to_tensor(value)
    if isinstance(tensor, SymbolicTensor):
        error = foreign_value_error(tensor.value)
        if tensor.value.node.graph in open_graphs:
            undelivered.note_in_thread(tensor.value.node.graph, error)
        raise error
    return tensor.array


def kernel_error(error: Exception, op: Op) -> Exception:
    """The error to show for one that a kernel raised: one of autograph's for what NumPy says about the inputs.

    What the user's program raises in a kernel keeps its type.
    """
    if op.effect:
        return error
    if not isinstance(error, AutographError):
        kind = type(error)
        if kind in (ValueError, OverflowError) or isinstance(error, (np.exceptions.AxisError, np.linalg.LinAlgError)):
            text = str(error).strip()
            error = InvalidArgumentError(text, remedy=_REMEDIES.get(text))
        elif isinstance(error, TypeError) and (kind is TypeError or kind.__module__.startswith("numpy")):
            error = InvalidTypeError(str(error).strip())
        elif kind is IndexError:
            error = IndexOutOfRangeError(str(error).strip())
    return _about(error, op)


_REMEDIES = {
    "Integers to negative integer powers are not allowed.": "make one of them a float, as in 2.0 ** x",
}


def _about(error: Exception, op: Op) -> Exception:
    """The error, with the name of the op where that tells the user something: ``text`` stands for what Python does."""
    if isinstance(error, (InvalidArgumentError, OutOfRangeError)) and op is not records.text:
        error.about(op.name)
    return error


def _located(error: Exception, op: Op, where: Place | None) -> Exception:
    """The error again, with the user's location added when it has none."""
    if isinstance(error, AutographError):
        _about(error, op)
        if error.file is None and where is not None:
            return error.at(*where.location)
        if where is None and current_scope():
            error.inside(op.name, current_scope() + op.name)
        return error
    if isinstance(error, (ValueError, OverflowError)) and type(error) in (ValueError, OverflowError):
        located = InvalidArgumentError(str(error), remedy=_REMEDIES.get(str(error)))
        return _located(located, op, where)
    return error


def static_value(tensor: object, partial: bool = False) -> np.ndarray[Any, Any] | None:
    """The array of a tensor whose value is known while tracing (eager, or a ``constant`` node), else None.

    ``partial`` changes nothing: a value is known as a whole or not at all.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.array
    if isinstance(tensor, SymbolicTensor):
        node = tensor.value.node
        return node.attributes["value"] if node.op is CONSTANT else None
    return np.asarray(tensor)
