"""Code touches no byte beyond its arguments, results and workspace: these end where a page begins that is forbidden."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.execute.native.assemble import module_text
from autograph.runtime.execute.native.compiler import Code
from autograph.runtime.execute.native.emitter import NotLowered
from autograph.runtime.execute.native.lowering import Lowering
from autograph.runtime.execute.native.region import Region
from autograph.runtime.execute.plan import Plan
from autograph.runtime.ir import Graph, Type
from autograph.runtime.op import Op
from tests.programs.profile import EXAMPLES
from tests.runtime.execute.native.common import graph_of_op, needs_llvm, same
from tests.runtime.execute.native.test_ops import cases

pytestmark = [needs_llvm, pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")]


def guarded(array: np.ndarray) -> tuple[np.ndarray, Any]:
    """A copy that ends at a page that can't be read, and the memory that it lies in."""
    pages = -(-max(array.nbytes, 1) // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    library = ctypes.CDLL(None, use_errno=True)
    end = start + pages * mmap.PAGESIZE
    assert library.mprotect(ctypes.c_void_p(end), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    content = (ctypes.c_char * max(array.nbytes, 1)).from_address(end - array.nbytes)
    copy = np.frombuffer(content, array.dtype, array.size).reshape(array.shape)
    copy[...] = array
    return copy, memory


@pytest.mark.parametrize("n", [1, 7, 64, 65, 130])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.bool_])
def test_no_byte_beyond_the_arguments_is_read(n: int, dtype: Any) -> None:
    def f(x, y):
        z = tf.cast(x, tf.float32)
        for i in tf.range(3):
            z = tf.where(y, z[::-1] + tf.cast(i, tf.float32), z * 2)
        return z, tf.reduce_sum(z), x[::-1], x[1:], tf.reduce_any(y), tf.transpose([x, x]), tf.argmax(z)

    x, y = np.arange(n).astype(dtype), np.arange(n) % 3 == 0
    (given, memory), (mask, other) = guarded(x), guarded(y)
    concrete = tf.function(f).get_concrete_function(x, y)
    region = Region(concrete.optimized_graph, demanded=True)
    for expected, got in zip(region.plan.run(x, y), region.run(given, mask), strict=True):
        same(expected, got, ulps=8)
    assert region.is_compiled and not region.failures
    assert memory is not other


def run_guarded(graph: Graph, arrays: Sequence[np.ndarray]) -> tuple[int, list[np.ndarray]]:
    """What the code itself returns, and its results; NotLowered where there is none."""
    types = [Type(value.type.dtype, array.shape) for value, array in zip(graph.inputs, arrays, strict=True)]
    lowering = Lowering(graph, types)
    if not lowering.lower():
        return 1, []
    code = Code(module_text(lowering), list(lowering.e.addresses))
    inputs = [guarded(array) for array in arrays]
    outputs = [guarded(np.zeros(type_.shape, type_.dtype.numpy)) for type_ in lowering.outputs]
    workspace = guarded(np.zeros(lowering.workspace.size, np.uint8))
    lists = [(ctypes.c_void_p * max(len(group), 1))(*[array.ctypes.data for array, _ in group])
             for group in (inputs, outputs)]  # fmt: skip
    memory = (ctypes.c_int64 * (2 * len(lowering.e.lists)))()
    kernel = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(code.address("kernel"))
    status = kernel(*lists, workspace[0].ctypes.data, ctypes.addressof(memory))
    for address in memory[::2]:
        ctypes.pythonapi.PyMem_RawFree(ctypes.c_void_p(address))
    return status, [np.array(array) for array, _ in outputs]


@pytest.mark.parametrize("record, inputs, attributes", [case for case in cases() if EXAMPLES or case.id[-2:] == "-0"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_op_touches_more_than_is_its_own(record: Op, inputs: Any, attributes: dict[str, Any]) -> None:
    graph = graph_of_op(record, inputs, attributes)
    arrays = [np.ascontiguousarray(x) for x in inputs]
    arrays = [array.reshape(np.shape(x)) for array, x in zip(arrays, inputs, strict=True)]
    try:
        status, results = run_guarded(graph, arrays)
    except NotLowered as error:
        pytest.skip(str(error))
    assert status in (0, 1)
    for expected, got in zip(Plan(graph).run(*arrays), results, strict=True) if status == 0 else ():
        same(expected, got, ulps=8)


@pytest.mark.parametrize("n", [1, 5, 63, 64, 65, 200])
def test_no_program_touches_more_than_is_its_own(n: int) -> None:
    def f(x, places):
        found, total = tf.TensorArray(tf.float32, size=3, element_shape=(n,)), tf.zeros((n, n))
        items = [x]
        for i in tf.range(3):
            found = found.write(i, tf.cumsum(x)[places] + tf.cast(i, tf.float32))
            items.append(items[-1] * 0.5)
            x = tf.where(x > 1.0, x[::-1], tf.gather(x, places))
            x[places[0]] = tf.reduce_max(x)
            total += x[:, tf.newaxis] @ x[tf.newaxis]
        return found.stack(), items[2], tf.math.top_k(x, k=1), tf.reduce_sum(total, axis=0), tf.nn.softmax(x)

    x, places = np.linspace(0, 2, n).astype(np.float32), np.arange(n)[::-1] // 2
    graph = tf.function(f).get_concrete_function(x, places).optimized_graph
    status, results = run_guarded(graph, [x, places])
    assert status == 0
    for expected, got in zip(Plan(graph).run(x, places), results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
