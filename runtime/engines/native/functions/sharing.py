"""Scalars call an elementary function that is written once; in loops over elements it stands in each place."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ....base.dtypes import DType
from ..emit.emitter import Emitter, type_of

__all__ = ["shared"]

Function = Callable[..., str]


def shared(function: Function) -> Function:
    """Make a function, of an emitter, a dtype and registers of it, one of the module where no vectors are made.

    Graphs with very many scalars would be long to compile otherwise. A loop is only made of vectors if it has no calls.
    """

    @functools.wraps(function)
    def written(e: Emitter, dtype: DType, *args: str) -> str:
        if e.is_in_nest:
            return function(e, dtype, *args)
        kind = type_of(dtype)
        name, parameters = f"@{function.__name__}.{kind}", [f"%x{i}" for i in range(len(args))]
        if name not in e.declarations:
            inner = Emitter()
            result = function(inner, dtype, *parameters)
            e.declarations.update(inner.declarations)
            given = ", ".join(f"{kind} {x}" for x in parameters)
            lines = [f"define internal {kind} {name}({given}) nounwind willreturn memory(none) {{", *inner.lines]
            e.declarations[name] = "\n".join([*lines, f"  ret {kind} {result}", "}"])
        return e.let(f"call {kind} {name}({', '.join(f'{kind} {x}' for x in args)})")

    return written
