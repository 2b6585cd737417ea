"""CPython, as machine code meets it: the one file that knows where its objects keep what, and how it calls functions.

Of an object it takes the address, the type, and the content of ``bytes``; all else goes through functions of Python's
C API, which CPython keeps from version to version. `obstacle` tries all of it on real objects before code relies on it.

It pays: a call of a built-in function made here costs 84 ns for two small arrays, one through ``ctypes`` 3,800 ns.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

__all__ = [
    "BYTES", "FUNCTIONS", "TYPE", "Owner", "address", "addresses", "built_in", "declarations",
    "let_others_run", "obstacle", "python",
]  # fmt: skip

# Byte offsets: of the type in an object, and of the content in a bytes object.
TYPE, BYTES = 8, bytes.__basicsize__ - 1
_FAST_CALL = 0x0080  # METH_FASTCALL: the function gets itself, its arguments as an array, and their number

FUNCTIONS = {
    "PyByteArray_FromStringAndSize": "ptr (ptr, i64)",
    "PyBytes_FromStringAndSize": "ptr (ptr, i64)",
    "PyMem_RawFree": "void (ptr)",
    "PyMem_RawMalloc": "ptr (i64)",
    "PyMem_RawRealloc": "ptr (ptr, i64)",
    "PyObject_CallNoArgs": "ptr (ptr)",
    "PyObject_CallOneArg": "ptr (ptr, ptr)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "Py_DecRef": "void (ptr)",
    "Py_IncRef": "void (ptr)",
}
"""The functions that code may call, with their types."""


def declarations(*names: str) -> str:
    """The lines of IR that declare functions."""
    types = [(name, *FUNCTIONS[name].split(" ", 1)) for name in names]
    return "\n".join(f"declare {result} @{name}{parameters}" for name, result, parameters in types)


def addresses() -> dict[str, int]:
    """Where the functions are."""
    found = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in FUNCTIONS}
    return {name: place for name, place in found.items() if place is not None}


def address(value: object) -> int:
    """Where an object is; it has to be kept by other means."""
    return id(value)


def let_others_run() -> None:
    """What code calls now and then.

    Where it begins a function, Python hands over to threads that have waited for long, and looks for signals. To let go
    of Python's lock and ask for it again would not do: who takes it meanwhile is a matter of luck.
    """


def taken(place: int) -> Any:
    """The object at an address, of which code has handed over the reference."""
    found = ctypes.cast(place, ctypes.py_object).value
    python("Py_DecRef", None, ctypes.py_object)(found)
    return found


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


@functools.cache
def _definition(function: int) -> _Definition:
    """That of all Python functions of one address. It is never freed: garbage may be called after its owner is gone."""
    found = _Definition(b"native", function, _FAST_CALL, None)
    python("Py_IncRef", None, ctypes.py_object)(found)
    return found


@functools.cache
def python(name: str, *types: Any) -> Any:
    """A function of Python's C API, of types, that of the result first.

    It is an object of its own: others may say of the one in ``ctypes.pythonapi`` that it has other types.
    """
    return ctypes.PYFUNCTYPE(*types)((name, ctypes.pythonapi))


def built_in(function: int, given: object, owner: object) -> Callable[..., Any]:
    """A built-in function that calls the address of a C function, with an object in front, and keeps its owner."""
    make = python("PyCFunction_NewEx", ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return make(ctypes.addressof(_definition(function)), given, owner)


class Owner:
    """Keeps what code needs for as long as the Python function lives that calls it, and frees its memory.

    ``cache``: whether the memory is in use, the workspace, and the address and size of the memory of each list.
    """

    def __init__(self, kept: object, lists: int) -> None:
        self.kept = kept
        self.cache = (ctypes.c_int64 * (2 + 2 * lists))()
        self.address = ctypes.addressof(self.cache)
        self._free = python("PyMem_RawFree", None, ctypes.c_void_p)
        self._clear = ctypes.memset

    def __del__(self) -> None:
        for place in (self.cache[1], *self.cache[2::2]):
            self._free(place)
        self._clear(self.cache, 0, 8 * len(self.cache))  # other garbage may still call the function


# Whether it is so


def obstacle() -> str | None:
    """What of this Python is not as it is known here; None if all is."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return "this is not CPython for 64 bits"
    missing = [name for name in (*FUNCTIONS, "PyCFunction_NewEx") if not hasattr(ctypes.pythonapi, name)]
    if missing:
        return f"this Python has no {missing[0]}"
    text = b"autograph"
    tried: list[object] = [text, 1.0, []]
    if any(ctypes.c_void_p.from_address(address(x) + TYPE).value != address(type(x)) for x in tried):
        return "this Python keeps the type of an object elsewhere"  # as that without the global lock does
    if ctypes.string_at(address(text) + BYTES, len(text)) != text:
        return "this Python keeps the content of bytes elsewhere"
    return None if _calls_quickly() else "this Python calls built-in functions in another way"


@functools.cache
def _spy() -> Any:
    """A C function that gives what it is called with: the object in front, and two arguments."""

    def noted(given: int, arguments: int, count: int) -> Any:
        return (given, *(ctypes.c_void_p * 2).from_address(arguments)) if count == 2 else None

    kinds = ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t
    return ctypes.PYFUNCTYPE(*kinds)(noted)


def _calls_quickly() -> bool:
    given, one, two = b"given", object(), object()
    place = ctypes.cast(_spy(), ctypes.c_void_p).value
    assert place is not None
    return bool(built_in(place, given, None)(one, two) == (address(given), address(one), address(two)))
