"""NumPy's arrays, as machine code meets them: the one file that knows how they lie in memory, and NumPy's C API.

NumPy promises both to extensions that are compiled for its version 2; `obstacle` tries them on real arrays before code
relies on them.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import cpython

__all__ = ["CONTIGUOUS_AND_ALIGNED", "DATA", "DESCR", "FLAGS", "RANK", "SHAPE", "extension", "maker", "obstacle"]

# Byte offsets in PyArrayObject.
DATA, RANK, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
CONTIGUOUS_AND_ALIGNED = 0x101  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
# Places in NumPy's table of functions, and what the first of these returns.
_VERSION_PLACE, _TYPE_PLACE, _NEW_PLACE = 0, 2, 93  # PyArray_GetNDArrayCVersion, PyArray_Type, PyArray_New
_VERSION = 0x2000000


def extension() -> Any:
    """NumPy's extension module, which C code finds NumPy's functions through."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    return _multiarray_umath


def _function(place: int) -> int:
    """The address at a place in NumPy's table."""
    get = cpython.python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    found = ctypes.cast(get(extension()._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))[place]
    assert found is not None
    return found


def maker() -> int:
    """The address of ``PyArray_New``: ``(type, rank, shape, number of the dtype, null, null, 0, 0, null)``."""
    return _function(_NEW_PLACE)


# Whether it is so


def obstacle() -> str | None:
    """What of this NumPy is not as it is known here; None if all is."""
    whole = np.arange(6, dtype=np.int64).reshape(2, 3)
    if not all(_lies_as_known(array) for array in (whole, whole.T, np.zeros((4, 1, 5), np.float32)[1:])):
        return f"arrays of NumPy {np.__version__} lie in memory in another way"
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(_function(_VERSION_PLACE))
    if _function(_TYPE_PLACE) != cpython.address(np.ndarray) or version() != _VERSION:
        return f"the C functions of NumPy {np.__version__} have another order"
    made = _made((3, 2), np.dtype(np.float32))
    fits = type(made) is np.ndarray and made.dtype == np.float32 and made.shape == (3, 2) and _lies_as_known(made)
    return None if fits else f"NumPy {np.__version__} makes arrays in another way"


def _lies_as_known(array: np.ndarray) -> bool:
    start = cpython.address(array)
    words = {cpython.TYPE: cpython.address(np.ndarray), DATA: array.ctypes.data, DESCR: cpython.address(array.dtype)}
    numbers = {RANK: array.ndim, FLAGS: array.flags.num}
    if any(ctypes.c_void_p.from_address(start + offset).value != value for offset, value in words.items()):
        return False
    if any(ctypes.c_int.from_address(start + offset).value != value for offset, value in numbers.items()):
        return False
    is_plain = array.flags.c_contiguous and array.flags.aligned
    if is_plain != (array.flags.num & CONTIGUOUS_AND_ALIGNED == CONTIGUOUS_AND_ALIGNED):
        return False
    shape, strides = (ctypes.c_void_p.from_address(start + offset).value or 0 for offset in (SHAPE, SHAPE + 8))
    if strides != shape + 8 * array.ndim:  # they are one piece of memory; otherwise it may be no address at all
        return False
    return tuple((ctypes.c_int64 * (2 * array.ndim)).from_address(shape)) == array.shape + array.strides


def _made(shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """An array that ``PyArray_New`` has made."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kinds = ctypes.py_object, pointer, number, pointer, number, pointer, pointer, number, number, pointer
    dims = (ctypes.c_int64 * len(shape))(*shape)
    nothing = None, None, 0, 0, None
    type_ = cpython.address(np.ndarray)
    return ctypes.PYFUNCTYPE(*kinds)(maker())(type_, len(shape), ctypes.addressof(dims), dtype.num, *nothing)
