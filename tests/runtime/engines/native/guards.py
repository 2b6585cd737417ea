"""Machine code in memory that ends, and then that begins, at a page that can't be touched.

One byte beyond ends the process. With AUTOGRAPH_GUARD_PAGES=1 all code that any test compiles runs so: its arguments,
results, workspace and the memory of lists.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.engines.native.emit.lowering import Lowering
from autograph.runtime.engines.native.run.assemble import module_text
from autograph.runtime.engines.native.run.compiler import Code

EVERYWHERE = os.environ.get("AUTOGRAPH_GUARD_PAGES") == "1"
_library = ctypes.CDLL(None, use_errno=True)


class Memory:
    """So many bytes that end, or begin, next to a forbidden page; there is one on the other side as well."""

    def __init__(self, size: int, at_end: bool = True) -> None:
        self.size = size
        pages = -(-max(size, 1) // mmap.PAGESIZE)
        self._memory = mmap.mmap(-1, (pages + 2) * mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for page in (0, pages + 1):
            forbidden = ctypes.c_void_p(start + page * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE)
            assert _library.mprotect(*forbidden, 0) == 0
        self.address = start + mmap.PAGESIZE + (pages * mmap.PAGESIZE - size if at_end else 0)

    def array(self, like: np.ndarray) -> np.ndarray:
        """The bytes as an array of the dtype and shape of another one."""
        content = (ctypes.c_char * max(like.nbytes, 1)).from_address(self.address)
        return np.frombuffer(content, like.dtype, like.size).reshape(like.shape)

    def copy_of(self, array: np.ndarray) -> np.ndarray:
        """The bytes as an array, with the elements of another one."""
        found = self.array(array)
        found[...] = array
        return found


class Lists:
    """What code takes the memory of lists from, in place of Python's allocator."""

    def __init__(self) -> None:
        self.blocks: dict[int, Memory] = {}
        self.at_end = True
        realloc = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self._realloc, self._free = realloc(self.resize), ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.release)

    def resize(self, address: int | None, size: int) -> int:
        made = Memory(size, self.at_end)
        old = self.blocks.pop(address) if address else None
        if old is not None:
            ctypes.memmove(made.address, old.address, min(size, old.size))
        self.blocks[made.address] = made
        return made.address

    def release(self, address: int | None) -> None:
        if address:
            del self.blocks[address]

    def add_symbols(self) -> None:
        """Lets compiled code find them."""
        import llvmlite.binding as llvm

        for name, function in (("guarded_Realloc", self._realloc), ("guarded_Free", self._free)):
            llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


LISTS = Lists()


def module(lowering: Lowering) -> Callable[..., Any]:
    """As `assemble.module`: None for arrays that the code is not made for, False when the plan has to look."""
    LISTS.add_symbols()
    code = Code(module_text(lowering).replace("@PyMem_Raw", "@guarded_"), list(lowering.e.addresses))
    kernel = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(code.address("kernel"))
    wanted = [(np.dtype(each.dtype.numpy), each.shape) for each in lowering.inputs]
    kept = code, lowering.kept

    def run(*arrays: Any) -> Any:
        fits = [type(x) is np.ndarray and (x.dtype, x.shape) == each and x.flags.c_contiguous and x.flags.aligned
                for x, each in zip(arrays, wanted, strict=True)]  # fmt: skip
        if not all(fits):
            return None
        results = [once(kernel, lowering, arrays, at_end) for at_end in (True, False)]
        told = [None if each is None else [x.tobytes() for i, x in enumerate(each) if i not in lowering.rows]
                for each in results]  # fmt: skip
        assert kept and told[0] == told[1]
        return False if results[0] is None else tuple(results[0])

    return run


def once(
    kernel: Callable[..., int], lowering: Lowering, arrays: Sequence[np.ndarray], at_end: bool
) -> list[np.ndarray] | None:
    """The results; None when the plan has to look. Raises the Python exception that the code has met."""
    LISTS.at_end = at_end
    given = [Memory(x.nbytes, at_end) for x in arrays]
    copies = [memory.copy_of(x) for memory, x in zip(given, arrays, strict=True)]
    empty = [np.zeros(each.shape, each.dtype.numpy) for each in lowering.outputs]
    made = [Memory(x.nbytes, at_end) for x in empty]
    workspace = Memory(lowering.workspace.size, at_end)
    pointers = [(ctypes.c_void_p * max(len(group), 1))(*[each.address for each in group]) for group in (given, made)]
    lists = (ctypes.c_int64 * (2 * len(lowering.e.lists)))()
    try:
        status = kernel(*pointers, workspace.address, ctypes.addressof(lists))
    finally:
        for address in lists[::2]:
            LISTS.release(address)
    for copy, x in zip(copies, arrays, strict=True):
        assert copy.tobytes() == x.tobytes(), "an argument has been changed"
    results = [memory.array(x).copy() for memory, x in zip(made, empty, strict=True)]
    return results if status == 0 else None

