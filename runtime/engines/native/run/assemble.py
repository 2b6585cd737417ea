"""From a graph to a function that can be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.errors import AutographError
from autograph.settings import settings

from ....ir.graph import Graph, Type
from ...engine import Entry, NotLowered
from .. import ops  # noqa: F401  (puts the forms of ops on their records)
from ..emit.emitter import Emitter
from ..emit.lowering import Lowering
from ..emit.rows import OfUnknownLength, with_rows
from ..foreign import cpython
from .compiler import Code
from .entry import callable_of

_PARAMETERS = "arguments", "outputs", "workspace", "lists"
# The memory of lists is kept for the next call up to so many bytes each.
_MOST_KEPT = 1 << 25
_TRIM = f"""define internal void @list_trim(ptr %data, ptr %room) {{
start:
  %have = load i64, ptr %room
  %large = icmp ugt i64 %have, {_MOST_KEPT}
  br i1 %large, label %free, label %done
free:
  %old = load ptr, ptr %data
  call void @PyMem_RawFree(ptr %old)
  store ptr null, ptr %data
  store i64 0, ptr %room
  br label %done
done:
  ret void
}}"""


def module_text(lowering: Lowering) -> str:
    """The IR of a lowered graph: ``int kernel(void **arguments, void **outputs, void *workspace, void *lists)``.

    ``lists`` has the address and the size of the memory of each list. The function returns 0; 1 when
    the plan has to look at what is wrong; 2 when a Python exception is set.
    """
    e = lowering.e
    if e.lists:
        e.declare_python("PyMem_RawFree")
        e.declare("@list_trim", _TRIM)
    text = "\n".join([
        *e.declarations.values(),
        *[f"define internal i1 {name}{text}" for text, name in e.functions.items()],
        f"define i32 @kernel({', '.join(f'ptr noalias %{name}' for name in _PARAMETERS)}) {{",
        "start:", "  %work = alloca i64", "  store i64 0, ptr %work", *e.entry, "  br label %body", "body:", *e.lines,
        *_exit(e, "finished", 0), *_exit(e, "failed", 1), *_exit(e, "interrupted", 2), "}",
        '!0 = !{!"branch_weights", i32 1, i32 1000000}',
        '!9000 = distinct !{!9000, !9001}', '!9001 = !{!"llvm.loop.unroll.disable"}', *lowering.scopes.metadata(),
    ])  # fmt: skip
    for name, size in e.sizes.items():
        text = text.replace(name, size)
    return text


def _exit(e: Emitter, label: str, status: int) -> list[str]:
    """The end of the function, where it frees the memory of lists that have become large."""
    trims = [f"  call void @list_trim(ptr {data}, ptr {room})" for data, room in e.lists]
    return [f"{label}:", *trims, f"  ret i32 {status}"]


def module(lowering: Lowering) -> Callable[..., Any]:
    """A built-in function that runs a lowered graph on arrays of the types it was lowered for; see `entry`."""
    code = Code(module_text(lowering), list(lowering.e.addresses))
    sizes = lowering.workspace.size, len(lowering.e.lists)
    return callable_of(code, lowering.inputs, lowering.outputs, sizes, lowering.kept)


def compiled(graph: Graph, types: Sequence[Type], look: Callable[[], None] | None = None) -> Entry | None:
    """As `Engine.compile`."""
    lowering = Lowering(graph, types)
    if look is not None:
        lowering.kept.append(look)
        lowering.e.look = cpython.address(look)
    try:
        if not lowering.lower():
            return None
        return with_rows(module(lowering), lowering.rows) if lowering.rows else module(lowering)
    except OfUnknownLength as error:
        is_own = error.node in graph.nodes
        raise NotLowered(error.message, error.node, error.node if is_own else lowering.outermost, is_own) from error
    except Exception as error:
        if settings.checks and not isinstance(error, AutographError):
            raise  # a mistake of ours, which must not stop users
        reason = error.message if isinstance(error, AutographError) else str(error)
        raise NotLowered(reason, lowering.node, lowering.outermost) from error
