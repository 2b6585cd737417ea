"""The form of an elementwise op: in which dtype NumPy computes it, and the instructions for one element."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....base.dtypes import DType, bool_, from_numpy
from ....ir import records
from ....ir.graph import Value
from ....ir.op import Op
from ....ir.primitive import CONSTANT, PLACEHOLDER
from ..supported import ENGINE
from .emitter import Emitter, NotLowered, type_of

Rule = Callable[..., str]


class Elementwise(NamedTuple):
    """The form of an elementwise op."""

    loop: Any
    rule: Rule


@functools.lru_cache(maxsize=4096)
def loop_types(ufunc: np.ufunc, *dtypes: DType) -> tuple[DType, ...]:
    """The dtypes in which a ufunc takes its inputs, and the one of its result."""
    try:
        found = ufunc.resolve_dtypes((*[dtype.numpy for dtype in dtypes], None))
    except TypeError as error:
        raise NotLowered(str(error)) from None
    return tuple(from_numpy(dtype) for dtype in found)


def apply(e: Emitter, op: Op, registers: Sequence[str], dtypes: Sequence[DType], result: DType) -> str:
    """Write one elementwise op for registers of given dtypes; the result has the dtype that inference promises."""
    loop, rule = op.lowerings[ENGINE]
    types = loop_types(loop, *dtypes) if isinstance(loop, np.ufunc) else loop(*dtypes)
    for dtype in types:
        type_of(dtype)
    given = [e.cast(x, a, b) for x, a, b in zip(registers, dtypes, types[:-1], strict=True)]
    found = rule(e, types[0], *given)
    made = bool_ if types[-1].kind == "b" else types[-1]
    return e.cast(found, made, result) if made is not result else found


def is_made_anew(value: Value) -> bool:
    """Whether an array is made by an op that neither changes one where it is, nor is computed later on."""
    op = value.node.op
    is_elementwise = type(op.lowerings.get(ENGINE)) is Elementwise
    return not is_elementwise and op not in (PLACEHOLDER, CONSTANT, records.set_item, records.add_at)
