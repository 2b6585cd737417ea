"""The BLAS that NumPy itself uses, found through NumPy's own extension module."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np

# Names of the function, and the size of its integers: of NumPy's wheels first, then as distributions build it.
_NAMES = (
    ("scipy_cblas_{}64_", 64), ("cblas_{}64_", 64), ("scipy_cblas_{}", 32), ("cblas_{}", 32),
)  # fmt: skip


class Gemm(NamedTuple):
    """The address of a matrix product, and the bits of its integers."""

    address: int
    bits: int


@functools.cache
def gemm(letter: str) -> Gemm | None:
    """``cblas_sgemm`` (letter "s") or ``cblas_dgemm`` ("d"); None when there is none, or it computes something else."""
    try:
        from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

        library = ctypes.CDLL(_multiarray_umath.__file__)
    except (ImportError, OSError):
        return None
    for name, bits in _NAMES:
        function = getattr(library, name.format(letter + "gemm"), None)
        if function is not None and _multiplies(function, letter, bits):
            address = ctypes.cast(function, ctypes.c_void_p).value
            assert address is not None
            return Gemm(address, bits)
    return None


def _multiplies(function: Any, letter: str, bits: int) -> bool:
    """Whether the function is what its name says, tried on a small product."""
    dtype, number = (np.float32, ctypes.c_float) if letter == "s" else (np.float64, ctypes.c_double)
    x, y, z = np.arange(6).astype(dtype), np.arange(12).astype(dtype), np.zeros(8, dtype)
    sizes = [ctypes.c_int64(n) if bits == 64 else ctypes.c_int32(n) for n in (2, 4, 3, 3, 4, 4)]
    m, n, k, lda, ldb, ldc = sizes
    function.restype = None
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, z)]
    function(ctypes.c_int(101), ctypes.c_int(111), ctypes.c_int(111), m, n, k, number(1), pointers[0], lda,
             pointers[1], ldb, number(0), pointers[2], ldc)  # fmt: skip
    return bool((z.reshape(2, 4) == np.matmul(x.reshape(2, 3), y.reshape(3, 4))).all())
