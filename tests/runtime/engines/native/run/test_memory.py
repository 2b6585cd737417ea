"""Code touches no byte beyond its arguments, results, workspace and lists: it runs between forbidden pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import OutOfRangeError, UnimplementedError
from autograph.runtime.engines.native.run import assemble
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import Op
from tests.programs.profile import EXAMPLES
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import SUMS, graph_of_op, needs_llvm, region_of, same
from tests.runtime.engines.native.ops.test_ops import cases

pytestmark = [needs_llvm, pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")]


@pytest.fixture(autouse=True)
def _guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "module", guards.module)


def region_for(graph: Graph, arrays: Sequence[np.ndarray], ulps: int = 8, is_sum: bool = False) -> Region:
    """The graph as code in guarded memory, which gives what the plan gives."""
    region = region_of(graph)
    for expected, got in zip(region.plan.run(*arrays), region.run(*arrays), strict=True):
        same(expected, got, ulps, is_sum)
    return region


@pytest.mark.parametrize("n", [1, 7, 64, 65, 130])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.bool_])
def test_no_byte_beyond_the_arguments_is_read(n: int, dtype: Any) -> None:
    def f(x, y):
        z = tf.cast(x, tf.float32)
        for i in tf.range(3):
            z = tf.where(y, z[::-1] + tf.cast(i, tf.float32), z * 2)
        return z, tf.reduce_sum(z), x[::-1], x[1:], tf.reduce_any(y), tf.transpose([x, x]), tf.argmax(z)

    x, y = np.arange(n).astype(dtype), np.arange(n) % 3 == 0
    region = region_for(tf.function(f).get_concrete_function(x, y).optimized_graph, [x, y])
    assert region.is_compiled and not region.failures


@pytest.mark.parametrize("record, inputs, attributes", [case for case in cases() if EXAMPLES or case.id[-2:] == "-0"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_op_touches_more_than_is_its_own(record: Op, inputs: Any, attributes: dict[str, Any]) -> None:
    graph = graph_of_op(record, inputs, attributes)
    arrays = [np.ascontiguousarray(x) for x in inputs]
    arrays = [array.reshape(np.shape(x)) for array, x in zip(arrays, inputs, strict=True)]
    try:
        region_for(graph, arrays, is_sum=record.name in SUMS)
    except UnimplementedError as error:
        pytest.skip(error.message)


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
    region = region_of(graph)
    for expected, got in zip(region.plan.run(x, places), region.run(x, places), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
    assert region.is_compiled and not region.failures and not guards.LISTS.blocks


def stored(x, i):
    x[i] = 1.0
    return x


@pytest.mark.parametrize("look", [tf.gather, lambda x, i: x[i], lambda x, i: x[i[0]], stored])
def test_nothing_is_looked_at_where_nothing_is(look: Any) -> None:
    spec = [tf.TensorSpec((None,), tf.float64), tf.TensorSpec((None,), tf.int32)]
    graph = tf.function(look, input_signature=spec).get_concrete_function().optimized_graph
    region, places = region_of(graph), np.array([0, 0], np.int32)
    assert region.run(np.ones(3), places)[0].all() and region.is_compiled
    with pytest.raises(OutOfRangeError):
        region.run(np.ones(0), places)


@pytest.mark.parametrize("place", ["0", "8"])
def test_the_pages_are_forbidden(place: str) -> None:
    """One byte before or behind the memory ends the process."""
    program = (
        "import ctypes\nfrom tests.runtime.engines.native.guards import Memory\n"
        f"memory = Memory(8, at_end={place == '8'})\nprint(ctypes.string_at(memory.address, 8), flush=True)\n"
        f"ctypes.string_at(memory.address + {place} - {place == '0':d}, 1)\nprint('touched')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode < 0 and done.stdout == f"{bytes(8)}\n"
