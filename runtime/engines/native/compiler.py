"""LLVM: the text of a module becomes machine code in memory."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import threading
from collections.abc import Sequence
from typing import Any

from autograph.config import settings

from . import cache
from .elementwise import LIBRARY

_lock = threading.RLock()  # handlers of signals may run what has to be compiled
_OPTIONS = {
    "speed_level": 2,
    "loop_vectorization": True,
    "loop_unrolling": True,
    "loop_interleaving": True,
    "slp_vectorization": False,  # LLVM 22.1 loses stores with it: see the test of running sums
}


@functools.cache
def available() -> bool:
    """Whether llvmlite is installed, and knows this machine."""
    try:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _add_library(llvm)
    except Exception:  # a broken installation must not break graphs
        return False
    return True


def _add_library(llvm: Any) -> None:
    """Lets code find the functions of the C library's mathematics, and Python's own."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in LIBRARY:
        for symbol in (name, name + "f"):
            llvm.add_symbol(symbol, ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)
    for symbol in (
        "PyErr_CheckSignals", "PyTuple_New", "PyTuple_SetItem", "PyMem_RawMalloc", "PyMem_RawRealloc", "PyMem_RawFree",
        "Py_DecRef", "Py_IncRef", "PyEval_SaveThread", "PyEval_RestoreThread", "PyObject_CallNoArgs",
    ):  # fmt: skip
        llvm.add_symbol(symbol, ctypes.cast(getattr(ctypes.pythonapi, symbol), ctypes.c_void_p).value)


class Code:
    """Compiled code; it lives as long as this object.

    ``addresses``: what the text finds, when it runs, in its global array ``@addresses``. So the text itself has none,
    and says the same in every process.
    """

    def __init__(self, text: str, addresses: Sequence[int] = ()) -> None:
        import llvmlite.binding as llvm

        if addresses:
            text = f"@addresses = global [{len(addresses)} x i64] zeroinitializer\n{text}"
        with _lock:  # LLVM's global context is not made for several threads
            name, features = llvm.get_host_cpu_name(), _features(llvm)
            machine = _target(llvm).create_target_machine(cpu=name, features=features, opt=3, jit=True)
            versions = ".".join(map(str, llvm.llvm_version_info))
            parts = text, machine.triple, name, features, versions, str(_OPTIONS)
            key = cache.key_of(*parts) if settings.native_cache else ""
            found = cache.load(key) if key else None
            module = llvm.parse_assembly("" if found else text)
            module.triple, module.data_layout = machine.triple, str(machine.target_data)
            if found is None:
                module.verify()  # else a mistake in the text could end the process
                self._optimize(llvm, module, machine)
            self._engine = llvm.create_mcjit_compiler(module, machine)
            if found is not None:
                self._engine.add_object_file(llvm.ObjectFileRef.from_data(found))
            elif key:
                self._engine.set_object_cache(lambda _, code: cache.store(key, bytes(code)))
            self._engine.finalize_object()
            if addresses:
                place = self._engine.get_global_value_address("addresses")
                (ctypes.c_int64 * len(addresses)).from_address(place)[:] = list(addresses)

    @staticmethod
    def _optimize(llvm: Any, module: Any, machine: Any) -> None:
        options = llvm.create_pipeline_tuning_options()
        for name, value in _OPTIONS.items():
            setattr(options, name, value)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)

    def address(self, name: str) -> int:
        """The address of a function."""
        found = self._engine.get_function_address(name)
        assert found, f"the module has no {name}"
        return found


@functools.cache
def _target(llvm: Any) -> Any:
    return llvm.Target.from_triple(llvm.get_process_triple())


@functools.cache
def _features(llvm: Any) -> str:
    return llvm.get_host_cpu_features().flatten()
