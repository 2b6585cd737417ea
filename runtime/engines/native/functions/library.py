"""Calls of the C library for the few elements that a function's own form is not made for, out of loops that vectorise.

LLVM turns a call in a loop into one call for each vector where it is told of a function that takes vectors. Such
functions are written here: they look whether any element is far out, and only then call the library, for those.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....base.dtypes import DType
from ..emit.emitter import Emitter, literal, type_of
from ..foreign.machine import vector_registers

__all__ = ["unless_far"]

_PURE = "noinline nounwind willreturn memory(none)"
_RARE = "cold minsize optsize"  # not worth compiling well


def _widths(dtype: DType) -> list[int]:
    """How many elements the vectors have that loops are made of: a whole register, or half of one."""
    whole = vector_registers()[1] // dtype.numpy.itemsize
    return [n for n in (whole // 2, whole) if n > 1]


def unless_far(e: Emitter, name: str, dtype: DType, tested: str, limit: float, args: Sequence[str], usual: str) -> str:
    """``usual``, or the C library's function of ``args`` where a number is farther from 0 than a limit, yet finite."""
    kind = type_of(dtype)
    function = f"far.{name}.{kind}"
    if function not in e.declarations:
        _define(e, function, name, dtype, limit, len(args))
    variants = [f"_ZGV_LLVM_N{n}{'v' * (len(args) + 2)}_{function}({function}.{n})" for n in _widths(dtype)]
    given = ", ".join(f"{kind} {register}" for register in (tested, usual, *args))
    return e.let(f'call {kind} @{function}({given}) nounwind willreturn memory(none) '
                 f'"vector-function-abi-variant"="{",".join(variants)}"')  # fmt: skip


def _define(e: Emitter, function: str, name: str, dtype: DType, limit: float, count: int) -> None:
    """Define the function for one element, for all in memory, and for vectors."""
    kind, names = type_of(dtype), ["%tested", "%usual", *[f"%x{i}" for i in range(count)]]
    inner = Emitter()
    size = inner.intrinsic("fabs", dtype, "%tested")
    far = inner.compare("gt", dtype, size, literal(limit, dtype))
    finite = inner.compare("lt", dtype, size, literal(float("inf"), dtype))
    inner.branch(inner.let(f"and i1 {far}, {finite}"), "library", "done")
    inner.begin("library")
    inner.do(f"ret {kind} {inner.libm(name, dtype, *names[2:])}")
    e.declarations.update(inner.declarations)
    e.declarations[function] = "\n".join([
        f"define internal {kind} @{function}({', '.join(f'{kind} {x}' for x in names)}) {_PURE} {{",
        *inner.lines, "done:", f"  ret {kind} %usual", "}", _of_memory(function, kind, len(names)),
    ])  # fmt: skip
    for n in _widths(dtype):
        fabs, some = f"@llvm.fabs.v{n}f{8 * dtype.numpy.itemsize}", f"@llvm.vector.reduce.or.v{n}i1"
        e.declare(fabs, f"declare <{n} x {kind}> {fabs}(<{n} x {kind}>)")
        e.declare(some, f"declare i1 {some}(<{n} x i1>)")
        bound = f"splat ({kind} {literal(limit, dtype)})"
        e.declare(f"{function}.{n}", _of_vectors(function, f"<{n} x {kind}>", names, n, fabs, some, bound))


def _of_memory(function: str, kind: str, count: int) -> str:
    """What is tested, the results and the arguments are in memory, one row of `n` after the other."""
    inner = Emitter()
    places = [inner.let(f"getelementptr {kind}, ptr %rows, i64 {inner.let(f'add i64 %i, {start}')}")
              for start in ["0", "%n", *[inner.let(f"mul i64 %n, {row}") for row in range(2, count)]]]  # fmt: skip
    given = ", ".join(f"{kind} {inner.let(f'load {kind}, ptr {place}')}" for place in places)
    inner.do(f"store {kind} {inner.let(f'call {kind} @{function}({given})')}, ptr {places[1]}")
    return "\n".join([
        f"define internal void @{function}.all(ptr %rows, i64 %n) noinline nounwind {_RARE} {{", "start:",
        "  br label %loop", "loop:", "  %i = phi i64 [ 0, %start ], [ %next, %loop ]", *inner.lines,
        "  %next = add i64 %i, 1", "  %end = icmp eq i64 %next, %n", "  br i1 %end, label %done, label %loop",
        "done:", "  ret void", "}",
    ])  # fmt: skip


def _of_vectors(function: str, vector: str, names: Sequence[str], n: int, fabs: str, some: str, bound: str) -> str:
    """The function that loops call. It is no internal one, because nothing refers to it until they are vectors."""
    parameters, count = ", ".join(f"{vector} {x}" for x in names), len(names)
    inner = Emitter()
    for i, x in enumerate(names):
        inner.do(f"store {vector} {x}, ptr {inner.let(f'getelementptr {vector}, ptr %rows, i64 {i}')}")
    return f"""define {vector} @{function}.{n}({parameters}) {_PURE} {{
start:
  %size = call {vector} {fabs}({vector} %tested)
  %far = fcmp ogt {vector} %size, {bound}
  %some = call i1 {some}(<{n} x i1> %far)
  br i1 %some, label %rare, label %done, !prof !0
rare:
  %result = tail call {vector} @{function}.{n}.rare({parameters})
  ret {vector} %result
done:
  ret {vector} %usual
}}
define internal {vector} @{function}.{n}.rare({parameters}) {_PURE} {_RARE} {{
  %rows = alloca [{count} x {vector}]
{chr(10).join(inner.lines)}
  call void @{function}.all(ptr %rows, i64 {n})
  %place = getelementptr {vector}, ptr %rows, i64 1
  %result = load {vector}, ptr %place
  ret {vector} %result
}}"""
