"""Code reads no byte beyond its arguments: these end where a page begins that must not be touched."""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.execute.native.region import Region
from tests.runtime.execute.native.common import needs_llvm, same

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
