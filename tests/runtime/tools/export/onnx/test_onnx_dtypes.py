"""Elementwise ops and reductions of every dtype, of numbers at which runtimes go wrong: limits, NaN, infinities."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from autograph.errors import AutographError, SavingError
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import OPS, type_of
from autograph.runtime.tools.export.onnx.program import model_of_graph
from tests.runtime.ops.test_ops import promoted
from tests.runtime.tools.export.onnx.common import check_same, run_model

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value):RuntimeWarning")
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
UNARY = """
    negative absolute sign square sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan
    sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc rint round isnan isinf isfinite signbit logical_not invert
    erf erfc relu sigmoid softplus softmax log_softmax
    """.split()
BINARY = """
    add subtract multiply divide floor_divide remainder truncatediv fmod power maximum minimum fmax fmin
    squared_difference divide_no_nan multiply_no_nan xlogy xlog1py xdivy gcd lcm logaddexp arctan2 hypot copysign
    equal not_equal less less_equal greater greater_equal logical_and logical_or bitwise_and bitwise_xor left_shift
    right_shift
    """.split()
REDUCTIONS = "sum prod max min all any count_nonzero argmax argmin".split()
LIMITS = {"float16": (4e-3, 4e-3), "float32": (5e-6, 2e-6), "float64": (1e-11, 1e-12)}


def numbers(dtype: str, shape: tuple[int, ...], random: Any) -> Any:
    """Small numbers, and special ones among them."""
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, 1.5, 2.5], dtype)
        return np.where(random.random(shape) < 0.25, random.choice(special, shape), random.normal(size=shape) * 3)
    limits = np.iinfo(dtype)
    special = np.array([limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1], dtype)
    small = random.integers(-5 if limits.min else 0, 6, shape).astype(dtype)
    return np.where(random.random(shape) < 0.6, small, random.choice(special, shape))


def check_op(name: str, inputs: list[Any], attributes: dict[str, Any]) -> None:
    """An op that takes such inputs gives the same in onnxruntime, or is refused, or both fail."""
    record, graph = OPS[name], Graph("one")
    try:
        arrays = promoted(record, inputs)
        values = [graph.parameter(type_of(array), "x") for array in arrays]
        graph.outputs = list(graph.add(record, values, attributes).outputs)
        names = [f"x{i}" for i in range(len(arrays))]
        model = model_of_graph(graph, graph, names, [f"y{i}" for i in range(len(graph.outputs))], [])
    except (AutographError, SavingError):
        return
    try:
        with np.errstate(all="ignore"):
            expected = record.numpy(*arrays, **attributes)
    except (AutographError, ValueError):
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            run_model(model, dict(zip(names, arrays, strict=True)))
        return
    (result,) = run_model(model, dict(zip(names, arrays, strict=True)))
    relative, absolute = LIMITS.get(result.dtype.name, (0.0, 0.0))
    check_same(expected, result, rtol=relative, atol=absolute)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*UNARY, *BINARY, *REDUCTIONS])
def test_a_dtype(name: str, dtype: str) -> None:
    random = np.random.default_rng(zlib.crc32(f"{name} {dtype}".encode()))
    x, y = [numbers(dtype, shape, random).astype(dtype) for shape in ((3, 7), (7,))]
    inputs = [x, y] if name in BINARY else [x]
    check_op(name, inputs, {"axis": 1} if name in REDUCTIONS else {})
