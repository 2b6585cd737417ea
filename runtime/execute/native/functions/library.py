"""Calls of the C library for the few elements that a function's own form is not made for, out of loops that vectorise.

LLVM turns a call in a loop into one call for each vector where it is told of a function that takes vectors. Such
functions are written here: they look whether any element is far out, and only then call the library, for those.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dtypes import DType
from ..emitter import Emitter, literal, type_of

__all__ = ["unless_far"]

_WIDTHS = 2, 4, 8, 16, 32


def unless_far(e: Emitter, name: str, dtype: DType, tested: str, limit: float, args: Sequence[str], usual: str) -> str:
    """``usual``, or the C library's function of ``args`` where a number is farther from 0 than a limit, yet finite."""
    kind = type_of(dtype)
    function = f"@far.{name}.{kind}"
    if function not in e.declarations:
        _define(e, function, name, dtype, limit, len(args))
    variants = [f"_ZGV_LLVM_N{n}{'v' * (len(args) + 2)}_{function[1:]}({function[1:]}.{n})" for n in _WIDTHS]
    given = ", ".join(f"{kind} {register}" for register in (tested, usual, *args))
    return e.let(f'call {kind} {function}({given}) nounwind willreturn memory(none) '
                 f'"vector-function-abi-variant"="{",".join(variants)}"')  # fmt: skip


def _define(e: Emitter, function: str, name: str, dtype: DType, limit: float, count: int) -> None:
    kind, names = type_of(dtype), [f"%x{i}" for i in range(count)]
    inner = Emitter()
    size = inner.intrinsic("fabs", dtype, "%tested")
    far = inner.compare("gt", dtype, size, literal(limit, dtype))
    finite = inner.compare("lt", dtype, size, literal(float("inf"), dtype))
    inner.branch(inner.let(f"and i1 {far}, {finite}"), "library", "done")
    inner.begin("library")
    inner.do(f"ret {kind} {inner.libm(name, dtype, *names)}")
    inner.begin("done")
    parameters = [f"{kind} {x}" for x in ("%tested", "%usual", *names)]
    e.declarations.update(inner.declarations)
    e.declarations[function] = "\n".join([
        f"define {kind} {function}({', '.join(parameters)}) noinline nounwind willreturn memory(none) {{",
        *inner.lines, f"  ret {kind} %usual", "}",
    ])  # fmt: skip
    for n in _WIDTHS:
        fabs, some = f"@llvm.fabs.v{n}f{8 * dtype.numpy.itemsize}", f"@llvm.vector.reduce.or.v{n}i1"
        e.declare(fabs, f"declare <{n} x {kind}> {fabs}(<{n} x {kind}>)")
        e.declare(some, f"declare i1 {some}(<{n} x i1>)")
        e.declare(f"{function}.{n}", _of_vectors(function, dtype, limit, names, n, fabs, some))


def _of_vectors(function: str, dtype: DType, limit: float, names: Sequence[str], n: int,
                fabs: str, some: str) -> str:  # fmt: skip
    """The same for vectors. It is no internal function, because nothing refers to it until loops are vectors."""
    kind = type_of(dtype)
    vector = f"<{n} x {kind}>"
    parameters = ", ".join(f"{vector} {x}" for x in ("%tested", "%usual", *names))
    inner = Emitter()
    elements = [inner.let(f"extractelement {vector} {x}, i64 %i") for x in ("%tested", "%result", *names)]
    value = inner.let(f"call {kind} {function}({', '.join(f'{kind} {x}' for x in elements)})")
    bound = f"splat ({kind} {literal(limit, dtype)})"
    return f"""define {vector} {function}.{n}({parameters}) noinline nounwind willreturn memory(none) {{
start:
  %size = call {vector} {fabs}({vector} %tested)
  %far = fcmp ogt {vector} %size, {bound}
  %some = call i1 {some}(<{n} x i1> %far)
  br i1 %some, label %loop, label %done, !prof !0
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %result = phi {vector} [ %usual, %start ], [ %changed, %loop ]
{chr(10).join(inner.lines)}
  %changed = insertelement {vector} %result, {kind} {value}, i64 %i
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, {n}
  br i1 %end, label %done, label %loop
done:
  %all = phi {vector} [ %usual, %start ], [ %changed, %loop ]
  ret {vector} %all
}}"""
