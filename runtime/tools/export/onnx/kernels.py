"""Which element types the operators of ONNX take in onnxruntime on a CPU, found by trying each of them (1.32).

The standard allows more than runtimes have. A type that is missing goes by way of a wider one, whose results wrap back
to the same; where there is none, the export is refused.
"""

from __future__ import annotations

from ....base import dtypes
from ....base.dtypes import DType

_INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_FLOATS = "float16 float32 float64"
_SHORT_FLOATS = "float16 float32"
_WIDE = f"int32 int64 {_FLOATS}"
_COMMON = f"int8 int32 int64 uint8 {_FLOATS}"
_ANY = f"bool {_INTEGERS} {_FLOATS} string"

_TABLE = {
    "Add Sub Mul Div Less Greater LessOrEqual GreaterOrEqual": f"{_INTEGERS} {_FLOATS}",
    "Equal": _ANY,
    "Abs Sign": f"{_INTEGERS} {_FLOATS}",
    "Neg": f"int8 int16 int32 int64 {_FLOATS}",
    "Pow": _WIDE,
    "Max Min": f"{_COMMON} uint32 uint64",
    "Sqrt Exp Log Floor Ceil Round Reciprocal Sin Cos Tanh IsNaN IsInf Softmax LogSoftmax": _FLOATS,
    "Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Softplus Conv ConvTranspose AveragePool": _SHORT_FLOATS,
    "Relu": f"int8 int32 {_FLOATS}",
    "Not And Or Xor": "bool",
    "BitwiseNot BitwiseAnd BitwiseOr BitwiseXor": _INTEGERS,
    "BitShift": "uint8 uint16 uint32 uint64",
    "Where": f"int8 int32 int64 uint8 uint32 {_FLOATS} string",
    "ReduceSum ReduceMean ReduceProd ReduceLogSumExp CumSum Einsum": _WIDE,
    "ReduceMax ReduceMin ArgMax ArgMin": _COMMON,
    "MatMul": f"int32 int64 uint32 uint64 {_FLOATS}",
    "MaxPool": f"int8 uint8 {_FLOATS}",
    "TopK": f"int8 int16 int32 int64 uint8 {_FLOATS}",
    "Pad": f"bool int8 int32 int64 uint8 uint32 uint64 {_FLOATS}",
    "NonZero": "bool int32 int64 uint8 float16 float32",
    "Range": "int16 int32 int64 float32 float64",
    "Trilu": f"bool {_WIDE}",
    "Unique": f"int8 int64 {_FLOATS} string",
    "Det": _SHORT_FLOATS,
    "Concat Split Slice Reshape Transpose Expand Tile Squeeze Unsqueeze Shape Size ReverseSequence Identity": _ANY,
    "Gather GatherElements GatherND ScatterND ScatterElements Cast": _ANY,
}
_REDUCING = f"{_INTEGERS} float32 float64"
_TAKES = {
    **{kind: frozenset(names.split()) for kinds, names in _TABLE.items() for kind in kinds.split()},
    "Mod": frozenset(_INTEGERS.split()),
    "Mod/fmod": frozenset(f"{_INTEGERS} {_FLOATS}".split()),
    **{f"{kind}/{how}": frozenset(_REDUCING.split())
       for kind in ("ScatterND", "ScatterElements") for how in ("add", "mul", "max", "min")},
}  # fmt: skip

_WIDER = {
    dtypes.bool_: (dtypes.uint8, dtypes.int32),
    dtypes.int8: (dtypes.int32,),
    dtypes.int16: (dtypes.int32,),
    dtypes.uint8: (dtypes.int32,),
    dtypes.uint16: (dtypes.int32,),
    dtypes.int32: (dtypes.int64,),
    dtypes.uint32: (dtypes.int64,),
    dtypes.float16: (dtypes.float32,),
}
_WRAPPING = {"Add", "Sub", "Mul", "Neg", "Where", "CumSum", "Einsum", "MatMul", "Pad", "Trilu", "NonZero", "Unique"}
"""The operators of which integers of 64 bits without a sign give the same bits as those with one."""

_TYPED = {
    "Where": (1, 2), "Pad": (0, 2), "ScatterND": (0, 2), "ScatterElements": (0, 2), "Concat": None, "Max": None,
    "Min": None, "Einsum": None,
}  # fmt: skip
_BINARY = {
    "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal", "And", "Or",
    "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift", "MatMul",
}  # fmt: skip
_OF_TYPE = {
    "Less": dtypes.bool_, "Greater": dtypes.bool_, "LessOrEqual": dtypes.bool_, "GreaterOrEqual": dtypes.bool_,
    "Equal": dtypes.bool_, "IsNaN": dtypes.bool_, "IsInf": dtypes.bool_, "Shape": dtypes.int64, "Size": dtypes.int64,
    "ArgMax": dtypes.int64, "ArgMin": dtypes.int64, "NonZero": dtypes.int64,
}  # fmt: skip


_ELEMENTWISE = _BINARY - {"MatMul"} | {
    "Abs", "Sign", "Neg", "Max", "Min", "Sqrt", "Exp", "Log", "Floor", "Ceil", "Round", "Relu", "Sin", "Cos",
    "Tanh", "IsNaN", "IsInf", "Tan", "Asin", "Acos", "Atan", "Not", "BitwiseNot", "Where", "Cast", "Softmax",
    "LogSoftmax", "CumSum",
}  # fmt: skip


def is_elementwise(kind: str) -> bool:
    """Whether the shape of a result is that to which the shapes of the inputs broadcast."""
    return kind in _ELEMENTWISE


def result_of(kind: str) -> DType | None:
    """The element type that an operator gives whatever it takes; None where it is that of what it takes."""
    return _OF_TYPE.get(kind)


def typed(kind: str, count: int) -> tuple[int, ...]:
    """Which of so many inputs have the element type that counts."""
    found = _TYPED.get(kind, (0, 1) if kind in _BINARY or kind == "Range" else (0,))
    if kind == "Range":
        return (0, 1, 2)
    return tuple(range(count)) if found is None else tuple([i for i in found if i < count])


def way_of(kind: str, variety: str, dtype: DType) -> DType | None:
    """The element type in which an operator is to run for one of some type: that itself, or a wider one; or None.

    ``variety``: of an operator that adds up, or of ``Mod``, which of its ways it takes.
    """
    takes = _TAKES.get(f"{kind}/{variety}" if variety else kind)
    if takes is None or dtype.name in takes:
        return dtype
    wider = _WIDER.get(dtype, ())
    if dtype is dtypes.uint64 and kind in _WRAPPING:
        wider = (dtypes.int64,)
    return next((each for each in wider if each.name in takes), None)
