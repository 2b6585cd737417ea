"""From a lowered graph to a function that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compiler import Code
from .emitter import Emitter
from .entry import callable_of
from .lowering import Lowering


def module_text(lowering: Lowering) -> str:
    """The IR of a lowered graph: ``int kernel(void **arguments, void **outputs, void *workspace)``.

    It returns 0; 1 when the plan has to look at what is wrong; 2 when a Python exception is set.
    """
    e = lowering.e
    if e.owned:
        e.declare("@PyMem_RawFree", "declare void @PyMem_RawFree(ptr)")
    text = "\n".join([
        *e.declarations.values(),
        *[f"define internal i1 {name}{text}" for text, name in e.functions.items()],
        "define i32 @kernel(ptr noalias %arguments, ptr noalias %outputs, ptr noalias %workspace) {", "start:",
        "  %work = alloca i64", "  store i64 0, ptr %work", *e.entry, "  br label %body", "body:", *e.lines,
        *_exit(e, "finished", 0), *_exit(e, "failed", 1), *_exit(e, "interrupted", 2), "}",
        '!0 = !{!"branch_weights", i32 1, i32 1000000}', *lowering.scopes.metadata(),
    ])  # fmt: skip
    for name, size in e.sizes.items():
        text = text.replace(name, size)
    return text


def _exit(e: Emitter, label: str, status: int) -> list[str]:
    """The end of the function, where it frees what it has allocated."""
    lines = [f"{label}:"]
    for i, place in enumerate(e.owned):
        lines += [f"  %{label}.{i} = load ptr, ptr {place}", f"  call void @PyMem_RawFree(ptr %{label}.{i})"]
    return [*lines, f"  ret i32 {status}"]


def module(lowering: Lowering) -> Callable[..., Any]:
    """A built-in function that runs a lowered graph on arrays of the types it was lowered for; see `entry`."""
    code = Code(module_text(lowering), list(lowering.e.addresses))
    return callable_of(code, lowering.inputs, lowering.outputs, lowering.workspace.size, lowering.kept)
