"""LLVM: the text of a module becomes machine code in memory."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import threading
from typing import Any

from .elementwise import LIBRARY

_lock = threading.Lock()


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
        "Py_DecRef", "Py_IncRef", "PyEval_SaveThread", "PyEval_RestoreThread",
    ):  # fmt: skip
        llvm.add_symbol(symbol, ctypes.cast(getattr(ctypes.pythonapi, symbol), ctypes.c_void_p).value)


class Code:
    """Compiled code; it lives as long as this object."""

    def __init__(self, text: str) -> None:
        import llvmlite.binding as llvm

        with _lock:  # LLVM's global context is not made for several threads
            machine = _target(llvm).create_target_machine(
                cpu=llvm.get_host_cpu_name(), features=_features(llvm), opt=3, jit=True)
            module = llvm.parse_assembly(text)
            module.triple, module.data_layout = machine.triple, str(machine.target_data)
            self._optimize(llvm, module, machine)
            self._engine = llvm.create_mcjit_compiler(module, machine)
            self._engine.finalize_object()

    @staticmethod
    def _optimize(llvm: Any, module: Any, machine: Any) -> None:
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = True
        options.loop_unrolling = options.loop_interleaving = True
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
