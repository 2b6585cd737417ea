"""The one dtype to which an op brings the inputs that it computes with together.

Tensors follow NumPy's promotion. Python numbers take part with their kind only. A NumPy scalar or array takes the dtype
of the tensors that it meets, as in TensorFlow, unless its kind is the wider one: `float32_tensor * np.sqrt(2.0)` and
`float32_tensor + np.arange(3)` are float32, `int32_tensor + np.array([1, 2])` is int32, and
`int32_tensor * np.array([0.5])` float64, as of two tensors (TensorFlow cuts the fractions off).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..base import dtypes
from ..base.dtypes import DType
from ..ir.op import Op
from . import convert
from .tensor import EagerTensor, SymbolicTensor

_SMALL = frozenset((dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16))


def promoted(op: Op, inputs: Sequence[Any]) -> Sequence[Any]:
    """The inputs with those from ``op.promote`` on brought to one dtype, as tensors."""
    start = op.promote
    assert start is not None
    strong: DType | None = None
    mixed = False
    loose: list[int] | None = None
    for i in range(start, len(inputs)):
        x = inputs[i]
        kind = type(x)
        if kind is SymbolicTensor and x.python is None:
            dtype = x.value.type.dtype
        elif kind is EagerTensor:
            dtype = x.dtype
        else:
            loose = [i] if loose is None else [*loose, i]
            continue
        if strong is None:
            strong = dtype
        elif dtype is not strong:
            strong, mixed = dtypes.promote(strong, dtype), True
    if op.widens and strong in _SMALL:
        return _brought_together(inputs, start, strong, loose or (), op)
    if not mixed:
        if loose is None:
            return inputs
        if strong is not None and len(loose) == 1 and convert.always_fits(inputs[loose[0]], strong):
            result = list(inputs)
            result[loose[0]] = convert.constant_tensor(inputs[loose[0]], strong)
            return result
    return _brought_together(inputs, start, strong, loose or (), op)


def together(*values: object) -> list[Any]:
    """Values as tensors of one dtype, as those that an op computes with together."""
    return _brought_together(values, 0, None, range(len(values)))


def _brought_together(
    inputs: Sequence[Any], start: int, dtype: DType | None, loose: Iterable[int], op: Op | None = None
) -> list[Any]:
    result = list(inputs)
    weak: list[int] = []
    arrays: list[int] = []
    python: type | None = None
    for i in loose:
        kind = convert.weak_kind(result[i])
        if kind is not None:
            weak.append(i)
            python = dtypes.widest(python, kind)
            continue
        if convert.is_array(result[i]):
            arrays.append(i)
        result[i] = tensor = convert.convert_to_tensor(result[i])
        if not arrays or arrays[-1] != i:
            dtype = tensor.dtype if dtype is None else dtypes.promote(dtype, tensor.dtype)
    dtype = _with_arrays(dtype, [result[i] for i in arrays])
    if op is not None and op.widens and dtype in _SMALL:
        dtype = dtypes.float32
    if python is not None:
        if dtype is not None:
            dtype = dtypes.with_weak(dtype, python)
        else:
            is_numeric = op is not None and op.numeric
            dtype = _of_numbers([result[i] for i in weak], int if is_numeric and python is bool else python)
    assert dtype is not None
    for i in arrays:
        result[i] = convert.fitted(result[i], dtype)
    for i in weak:
        if convert.holds_tensor(result[i]):
            result[i] = convert.convert_to_tensor(result[i])
        else:
            result[i] = convert.constant_tensor(result[i], dtype)
    for i in range(start, len(result)):
        if result[i].dtype is not dtype:
            result[i] = convert.cast(result[i], dtype)
    return result


def _with_arrays(tensors: DType | None, arrays: Sequence[Any]) -> DType | None:
    """The dtype of tensors and arrays: an array takes part in it where it does not take the tensors' own."""
    dtype = tensors
    for each in arrays:
        if tensors is None or not dtypes.yields(each.dtype, tensors, isinstance(each, EagerTensor)):
            dtype = each.dtype if dtype is None else dtypes.promote(dtype, each.dtype)
    return dtype


def _of_numbers(values: Sequence[Any], python: type) -> DType:
    """The type of Python numbers alone: of the widest kind, int32 or float32 unless one of them is larger already."""
    dtype = dtypes.default_of(python)
    for value in values:
        if type(value) is SymbolicTensor and value.python is python:
            dtype = dtypes.promote(dtype, value.value.type.dtype)
    return dtype
