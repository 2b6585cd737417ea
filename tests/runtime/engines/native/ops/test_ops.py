"""Every op that has a form in machine code, over each of its samples: the same as the plan gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph.errors import UnimplementedError
from autograph.runtime import ops  # noqa: F401  (declares the ops)
from autograph.runtime.base.dtypes import int32, int64
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.native.run import assemble  # noqa: F401  (registers how ops are lowered)
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.partition import obstacle
from autograph.runtime.ir.op import OPS, Op
from tests.runtime.engines.native.common import SUMS, graph_of_op, needs_llvm, region_of, same

pytestmark = [
    needs_llvm,
    pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value|Mean of empty):RuntimeWarning"),
]
LOWERED = {name for name, record in OPS.items() if "native" in record.lowerings}
# Lists, variables and checks are tested in programs: they are neither given to code nor returned by it.
STRUCTURE = {"cond", "while", "assert", "raise", "assert_relation", "assert_shapes", "assert_rank_in", "check_numerics",
             "constant", "read_variable", "assign", "assign_add", "assign_sub", "update_variable",
             *[name for name in LOWERED if name.startswith(("list_", "array_"))]}  # fmt: skip
# What is computed exactly alike, or is no matter of rounding.
EXACT = frozenset("""
    add subtract multiply divide negative absolute sign square sqrt floor_divide remainder fmod maximum minimum fmax
    fmin floor ceil trunc rint copysign relu clip where cast round squared_difference divide_no_nan multiply_no_nan
    reciprocal max min prod concat stack split unstack gather get_item set_item transpose reshape flip one_hot range
    fill xdivy
    """.split())


def sample_of(sample: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if len(sample) == 2 and isinstance(sample[0], tuple) and isinstance(sample[1], dict):
        return sample
    return sample, {}


def cases() -> list[Any]:
    found = []
    for name in sorted(LOWERED - STRUCTURE):
        for i, sample in enumerate(OPS[name].samples()):
            found.append(pytest.param(OPS[name], *sample_of(sample), id=f"{name}-{i}"))
    return found


@pytest.mark.parametrize("record, inputs, attributes", cases())
def test_the_code_gives_what_the_plan_gives(record: Op, inputs: Any, attributes: Any) -> None:
    graph = graph_of_op(record, inputs, attributes)
    if obstacle(NATIVE, graph.nodes) is not None:
        pytest.skip(str(obstacle(NATIVE, graph.nodes)[1]))
    region = region_of(graph)
    try:
        results = region.run(*inputs)
    except UnimplementedError as error:
        pytest.skip(error.message)
    for expected, got in zip(Plan(graph).run(*inputs), results, strict=True):
        same(expected, got, ulps=0 if record.name in EXACT else 8, is_sum=record.name in SUMS)


def test_every_op_is_covered_by_some_sample() -> None:
    lowered = set()
    for case in cases():
        record, inputs, attributes = case.values
        graph = graph_of_op(record, inputs, attributes)
        if obstacle(NATIVE, graph.nodes) is None:
            region = region_of(graph)
            try:
                region.run(*inputs)
            except UnimplementedError:
                continue
            if region.is_compiled and not region.failures:
                lowered.add(record.name)
    assert LOWERED - STRUCTURE - lowered == set()


def test_the_names_of_ops_are_all_there() -> None:
    assert LOWERED == {name for name, record in OPS.items() if record.native}


INTEGERS = [np.int8, np.uint8]
OF_TWO = """add subtract multiply floor_divide remainder fmod truncatediv maximum minimum left_shift right_shift
    bitwise_and bitwise_or bitwise_xor equal not_equal less less_equal greater greater_equal""".split()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", OF_TWO)
def test_all_pairs_of_bytes(name: str, dtype: Any) -> None:
    numbers = np.arange(256).astype(dtype)
    x, y = numbers[:, None], numbers[None, :]
    if name in ("floor_divide", "remainder", "fmod", "truncatediv"):
        y = y[y != 0][None, :]
        if dtype is np.int8:
            y = y[y != -1][None, :]
    graph = graph_of_op(OPS[name], (x, y), {})
    region = region_of(graph)
    same(Plan(graph).run(x, y)[0], region.run(x, y)[0])
    assert region.is_compiled and not region.failures


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 64, -1, -2, -3, -128])
def test_all_bytes_by_a_constant(name: str, divisor: int) -> None:
    x = np.arange(-127, 128).astype(np.int8)
    graph = graph_of_op(OPS[name], (x, np.int8(divisor)), {})
    same(Plan(graph).run(x, np.int8(divisor))[0], region_of(graph).run(x, np.int8(divisor))[0])


@pytest.mark.parametrize("source", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                                    "float32", "float64"])  # fmt: skip
@pytest.mark.parametrize("target", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                                    "float32", "float64"])  # fmt: skip
def test_casts_between_all_dtypes(source: str, target: str) -> None:
    from autograph.runtime.base.dtypes import as_dtype

    kind = np.dtype(source)
    if kind.kind == "f":
        x = np.array([0.0, -0.0, 1.9, -1.9, 100.5, 3e9, -3e9, 1e19, np.inf, -np.inf, np.nan], kind)
    elif kind.kind == "b":
        x = np.array([True, False])
    else:
        info = np.iinfo(kind)
        x = np.array([info.min, info.min + 1, 0, 1, 2, info.max - 1, info.max], kind)
    parts = [x]
    if kind.kind == "f" and target not in ("float32", "float64"):
        parts += [x[i : i + 1] for i in range(len(x))]
    for part in parts:  # one that does not fit sends all to the plan
        graph = graph_of_op(OPS["cast"], (part,), {"dtype": as_dtype(target)})
        same(Plan(graph).run(part)[0], region_of(graph).run(part)[0])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("k", [0, 1, 5, 128])
def test_the_largest_elements(dtype: str, k: int) -> None:
    numbers = np.random.default_rng(k).integers(-20, 20, (3, 2, 300)).astype(dtype)
    if dtype.startswith("float"):
        numbers[:, 0, ::41], numbers[:, 0, 5], numbers[:, 1, 7] = np.nan, np.inf, -0.0
    for x in (numbers, np.swapaxes(numbers, 0, 2)[..., :0] if k == 0 else numbers[0, 0], numbers[:1]):
        for index in (int32, int64):
            graph = graph_of_op(OPS["top_k"], (x,), {"k": k, "dtype": index})
            for expected, got in zip(Plan(graph).run(x), region_of(graph).run(x), strict=True):
                same(expected, got)
