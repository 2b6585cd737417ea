"""The BLAS that NumPy itself uses, found through NumPy's extension module: the one file that knows its functions.

It pays where loops hold large products. Leaving these to the plan, which then runs the loop too, takes 5 to 20 % longer
with one thread, and up to 36 % with two (a GRU of 128 x 256, an RNN of 128 x 1024, powers of a matrix of 260 x 260);
vectors of our own take more than twice as long from 10**8 multiplications on. How many threads a product takes is
BLAS's matter: nothing here changes it.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np

from . import ndarrays

# Names of the function, and the size of its integers: of NumPy's wheels first, then as distributions build it.
_NAMES = (
    ("scipy_cblas_{}64_", 64), ("cblas_{}64_", 64), ("scipy_cblas_{}", 32), ("cblas_{}", 32),
)  # fmt: skip
ROW_MAJOR, AS_IT_IS, TRANSPOSED = 101, 111, 112


class Gemm(NamedTuple):
    """The address of a matrix product, and the bits of its integers."""

    address: int
    bits: int


@functools.cache
def gemm(letter: str) -> Gemm | str:
    """``cblas_sgemm`` (letter "s") or ``cblas_dgemm`` ("d"), where that multiplies; otherwise the reason why not."""
    try:
        return _search(letter)
    except Exception as error:  # what others have changed must not break graphs
        return f"NumPy's BLAS can't be reached: {type(error).__name__}: {error}"


def _search(letter: str) -> Gemm | str:
    library, reason = ctypes.CDLL(ndarrays.extension().__file__), "was not found"
    for name, bits in _NAMES:
        function = getattr(library, name.format(letter + "gemm"), None)
        if function is not None:
            if _multiplies(function, letter, bits):
                address = ctypes.cast(function, ctypes.c_void_p).value
                assert address is not None
                return Gemm(address, bits)
            reason = "computes something else"
    return f"NumPy's {letter}gemm {reason}"


def _multiplies(function: Any, letter: str, bits: int) -> bool:
    """Whether the function is what its name says, tried on small products of matrices as they are and transposed."""
    dtype, number = (np.float32, ctypes.c_float) if letter == "s" else (np.float64, ctypes.c_double)
    which, size, pointer = ctypes.c_int, ctypes.c_int64 if bits == 64 else ctypes.c_int32, ctypes.c_void_p
    function.restype = None
    function.argtypes = [which] * 3 + [size] * 3 + [number, pointer, size, pointer, size, number, pointer, size]
    x, y = np.arange(10).astype(dtype).reshape(2, 5)[:, :3], np.arange(12).astype(dtype).reshape(3, 4)
    for other, way, step in ((y, AS_IT_IS, 4), (np.ascontiguousarray(y.T), TRANSPOSED, 3)):
        result = np.full((2, 4), 9, dtype)
        function(ROW_MAJOR, AS_IT_IS, way, 2, 4, 3, 1, x.ctypes.data, 5, other.ctypes.data, step, 0,
                 result.ctypes.data, 4)  # fmt: skip
        if not (result == np.matmul(x, y)).all():
            return False
    return True
