"""Jacobians: one gradient for each element of the target."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError

from ..base import nest
from ..base.dtypes import int32
from ..ir.graph import Graph, Type
from ..ir.op import OPS
from ..ops.control import finish_graph, while_node
from ..ops.lists.lists import TensorList
from ..ops.shape.create import one_hot_op, zeros, zeros_like
from ..ops.shape.joining import concat
from ..ops.shape.shape import reshape, shape, size, transpose
from ..tensors import trace
from ..tensors.convert import convert_to_tensor
from ..tensors.tensor import SymbolicTensor
from .records import is_variable
from .tape import BATCH_JACOBIAN, JACOBIAN, GradientTape, gradients
from .unconnected import UnconnectedGradients

if TYPE_CHECKING:
    from ..tensors.likes import DTypeLike


@JACOBIAN.give
def jacobian(
    tape: GradientTape | _GraphTape, target: object, sources: object, unconnected: UnconnectedGradients | str
) -> Any:  # fmt: skip
    """As `GradientTape.jacobian`."""
    zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    with tape.kept():
        flat = nest.flatten(sources)
        rows = _rows(tape, target, flat)
    result = [None if row is None and not zero else _joined(target, row, source) for row, source in
              zip(rows, flat, strict=True)]  # fmt: skip
    return nest.pack_sequence_as(sources, result)


def _dims(x: Any) -> Any:
    known = x.shape.as_list() if x.shape.rank is not None else [None]
    return shape(x) if None in known else known


def _joined(target: Any, rows: Any, source: Any) -> Any:
    """The rows, one for each element of the target, in its shape."""
    wanted = concat([_vector(_dims(target)), _vector(_dims(source))], 0)
    known = [*(target.shape.as_list() if target.shape.rank is not None else [None]),
             *(source.shape.as_list() if source.shape.rank is not None else [None])]  # fmt: skip
    dims = wanted if None in known else known
    if rows is None:
        return zeros(dims, source.dtype)
    return reshape(rows, dims)


def _vector(dims: object) -> Any:
    is_scalar = isinstance(dims, list) and not dims
    return reshape(convert_to_tensor(0), (-1,))[:0] if is_scalar else convert_to_tensor(dims, int32)


def _one_row(tape: GradientTape, target: Any, sources: list[Any], index: object) -> list[Any]:
    count = target.shape.num_elements()
    flat = zeros_like(reshape(target, (-1,)))
    if count is None:
        weight = OPS["set_item"](flat, OPS["cast"](1, dtype=target.dtype), index, key=(("input", 0),))
    else:
        one, zero = OPS["cast"](1, dtype=target.dtype), OPS["cast"](0, dtype=target.dtype)
        weight = one_hot_op(index, one, zero, depth=count)
    return tape.gradient(target, sources, output_gradients=reshape(weight, _dims(target)))


def _rows(tape: Any, target: Any, sources: list[Any]) -> list[Any]:
    """For each source the gradients of all elements of the target, stacked; None where it is not connected."""
    graph = trace.current_graph()
    if graph is None:
        rows = [_one_row(tape, target, sources, i) for i in range(target.shape.num_elements())]
        if not rows:
            return [None] * len(sources)
        columns = zip(*rows, strict=True)
        return [None if column[0] is None else OPS["stack"](*column, axis=0) for column in columns]
    return _rows_in_graph(graph, tape, target, sources)


def _rows_in_graph(graph: Graph, tape: GradientTape, target: object, sources: list[Any]) -> list[Any]:
    total = size(target)
    body, test = Graph("jacobian_row", graph), Graph("more_rows", graph)
    with trace.building(body):
        index = SymbolicTensor(body.parameter(Type(int32, ()), "row"))
        found = _one_row(tape, target, sources, index)
        connected = [i for i, gradient in enumerate(found) if gradient is not None]
        kinds = [TensorList.new(found[i].dtype, _static(sources[i])) for i in connected]
        lists = [SymbolicTensor(body.parameter(kind.handle.value.type, "rows")) for kind in kinds]
        pushed = [OPS["list_push"](handle, found[i]) for handle, i in zip(lists, connected, strict=True)]
        finish_graph(body, [index + 1, *pushed])
    with trace.building(test):
        parameters = [SymbolicTensor(test.parameter(value.type, "state")) for value in body.parameters]
        finish_graph(test, [parameters[0] < total])
    start = [OPS["list_new"]() for _ in connected]
    _, *handles = while_node(test, body, [OPS["cast"](0, dtype=int32), *start], name="jacobian")
    rows: list[Any] = [None] * len(sources)
    for i, handle in zip(connected, handles, strict=True):
        rows[i] = TensorList(handle, sources[i].dtype, _static(sources[i])).stack()
    return rows


def _static(source: Any) -> Any:
    return tuple(source.shape.as_list()) if source.shape.rank is not None else None


@BATCH_JACOBIAN.give
def batch_jacobian(tape: GradientTape, target: Any, source: Any, unconnected: UnconnectedGradients | str) -> Any:
    """As `GradientTape.batch_jacobian`: rows of the sum over the batch, as examples don't mix."""
    first, second = target.shape, source.shape
    if first.rank is None or second.rank is None or first.rank < 1 or second.rank < 1:
        raise InvalidArgumentError(
            "batch_jacobian needs a target and a source of known rank, with examples along the first axis"
        )
    if None not in (first[0], second[0]) and first[0] != second[0]:
        raise InvalidArgumentError(
            f"Need first dimension of target shape ({first}) and source shape ({second}) to match."
        )
    if is_variable(source):
        raise InvalidArgumentError("batch_jacobian needs a tensor as its source, not a variable")
    zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    with tape.kept():
        result = _batch_rows(tape, target, source)
    if result is None:
        return zeros_like(_batch_shaped(target, source)) if zero else None
    return result


def _batch_shaped(target: Any, source: Any) -> Any:
    flat, other = reshape(target, (*_dims_list(target), 1)), reshape(source, (_dims_list(source)[0], 1, -1))
    rows = reshape(flat, (_dims_list(target)[0], -1, 1)) * other
    return reshape(rows, [*_dims_list(target), *_dims_list(source)[1:]])


def _dims_list(x: Any) -> list[Any]:
    known = x.shape.as_list()
    dynamic: Any = shape(x) if None in known else None
    return [dynamic[i] if n is None else n for i, n in enumerate(known)]


def _batch_rows(tape: GradientTape, target: Any, source: object) -> Any:
    """Gradients of the columns of the target as ``[batch, elements]``, put in the batch's order."""
    dims, others = _dims_list(target), _dims_list(source)
    with tape.recording():
        table = reshape(target, [dims[0], -1])
    columns = table.shape[1]
    if columns is None:
        raise InvalidArgumentError(
            f"batch_jacobian needs all dimensions but the first to be known, not as in {target.shape}",
            remedy="give them by tf.ensure_shape(x, shape), or in the input_signature",
        )
    rows: list[Any] = []
    for i in range(columns):
        weight = zeros_like(table) + one_hot_op(i, *_units(table.dtype), depth=columns)
        rows.append(tape.gradient(table, source, output_gradients=weight))
        if rows[0] is None:
            return None
    if not rows:
        return zeros_like(_batch_shaped(target, source))
    order = [1, 0, *range(2, len(others) + 1)]
    return reshape(transpose(OPS["stack"](*rows, axis=0), order), [*dims, *others[1:]])


def _units(dtype: DTypeLike) -> tuple[Any, Any]:
    return OPS["cast"](1, dtype=dtype), OPS["cast"](0, dtype=dtype)


class _GraphTape:
    """Gradients of the graph being built, in the form of a tape."""

    def kept(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def gradient(self, target: object, sources: list[Any], output_gradients: object) -> list[Any]:
        return gradients(target, sources, output_gradients)


def hessians(
    ys: object, xs: object, gate_gradients: bool = False, aggregation_method: object = None, name: str = "hessians"
) -> list[Any]:  # fmt: skip
    """The second derivatives of the sum of all ``ys`` with respect to each of ``xs``, added to the graph being built.

    For an x of shape (...) they have the shape (..., ...). ``gate_gradients`` and ``aggregation_method`` change nothing
    here. Raises `RuntimeError` when ops run eagerly, `ValueError` where the ys do not depend on an x; they are zero
    where the first derivatives don't.
    """
    sources = nest.flatten(xs)
    with trace.name_scope(name):
        found = gradients(ys, sources)
        if any(each is None for each in found):
            raise InvalidArgumentError("hessians: the ys do not depend on one of the xs")
        zero = UnconnectedGradients.ZERO
        return [jacobian(_GraphTape(), first, source, zero) for first, source in zip(found, sources, strict=True)]
