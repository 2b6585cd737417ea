"""What the code has to know of this machine."""

from __future__ import annotations

import functools

from . import llvm

__all__ = ["fuses", "vector_registers", "vector_width"]


@functools.cache
def vector_registers() -> tuple[int, int]:
    """How many vector registers this machine has, and the bytes of each."""
    features = llvm.features()
    if features.get("avx512f"):
        return 32, 64
    if features.get("avx"):
        return 16, 32
    return (16 if "86" in llvm.triple() else 32), 16


def vector_width() -> str:
    """The attribute of functions whose loops may take the widest vectors: LLVM by itself keeps from some."""
    return f'"prefer-vector-width"="{8 * vector_registers()[1]}"'


@functools.cache
def fuses() -> bool:
    """Whether this machine multiplies and adds in one instruction."""
    return "86" not in llvm.triple() or bool(llvm.features().get("fma"))
