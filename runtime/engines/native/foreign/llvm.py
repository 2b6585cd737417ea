"""LLVM, through llvmlite: the one file that knows it. The text of a module becomes machine code in memory."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["add_symbols", "depends_on", "engine", "features", "fill", "optimize", "triple"]

_OPTIONS = {
    "speed_level": 2,
    "loop_vectorization": True,
    "loop_unrolling": True,
    "loop_interleaving": True,
    "slp_vectorization": False,  # LLVM 22.1 loses stores with it: see the test of running sums
}


@functools.cache
def _binding() -> Any:
    """llvmlite, ready to make code for this machine. Raises what a broken installation raises."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def add_symbols(addresses: Mapping[str, int]) -> None:
    """Lets code find functions by their names."""
    for name, address in addresses.items():
        _binding().add_symbol(name, address)


@functools.cache
def features() -> Any:
    """What this machine's processor can do: a mapping of LLVM's names."""
    return _binding().get_host_cpu_features()


def triple() -> str:
    """LLVM's name for this kind of machine."""
    return _binding().get_process_triple()


@functools.cache
def depends_on() -> tuple[str, ...]:
    """What else than its text code depends on: the processor, the version of LLVM, the options."""
    llvm = _binding()
    versions = ".".join(map(str, llvm.llvm_version_info))
    return _machine().triple, llvm.get_host_cpu_name(), features().flatten(), versions, str(_OPTIONS)


def engine(text: str, found: bytes | None, store: Callable[[bytes], None] | None) -> Any:
    """What holds the code of a module, and tells its addresses. Not to be called by two threads at once.

    ``found``: the code, if the text has been compiled before; ``store``: called with it otherwise.
    """
    llvm, machine = _binding(), _machine()
    module = llvm.parse_assembly("" if found else text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    if found is None:
        module.verify()  # else a mistake in the text could end the process
        optimize(module, machine)
    made = llvm.create_mcjit_compiler(module, machine)
    if found is not None:
        made.add_object_file(llvm.ObjectFileRef.from_data(found))
    elif store is not None:
        made.set_object_cache(lambda _, code: store(bytes(code)))
    made.finalize_object()
    return made


def optimize(module: object, machine: object) -> None:
    """Runs LLVM's passes over a module."""
    options = _binding().create_pipeline_tuning_options()
    for name, value in _OPTIONS.items():
        setattr(options, name, value)
    builder = _binding().create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def fill(engine: Any, name: str, numbers: Sequence[int]) -> None:
    """Write into a global array of a module."""
    place = engine.get_global_value_address(name)
    (ctypes.c_int64 * len(numbers)).from_address(place)[:] = list(numbers)


def _machine() -> Any:
    llvm = _binding()
    name = llvm.get_host_cpu_name()
    return _target().create_target_machine(cpu=name, features=features().flatten(), opt=3, jit=True)


@functools.cache
def _target() -> Any:
    return _binding().Target.from_triple(triple())
