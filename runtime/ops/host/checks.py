"""Checks of values, shapes and ranks, which run each time the graph does: see `tf.debugging`.

A check of values says besides in elementwise ops what must be true (the field ``holds``), for engines that have no
kernel of it. The kernel makes the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base import shapes
from ...base.dtypes import Array
from ...ir.effects import Effects
from ...ir.kinds import INT, PLAIN, TEXT, kinds, tuple_of
from ...ir.op import NOT_DIFFERENTIABLE, OPS, op
from ...tensors.numerics import counts
from ..kernels.print_format import format_array

_RELATIONS = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


def _check_relation(x: Array, y: Array, *, relation: str, other: str, message: str, summarize: int) -> tuple[()]:
    x, y = np.asarray(x), np.asarray(y)
    try:
        holds = np.asarray(_RELATIONS[relation](x, y), np.bool_)
    except ValueError:
        raise InvalidArgumentError(f"{message}\nx and y have the shapes {x.shape} and {y.shape}".strip()) from None
    if holds.all():
        return ()
    places = np.argwhere(~holds)
    left, right = (np.broadcast_to(each, holds.shape) for each in (x, y))
    wrong = places[:summarize]
    lines = [
        *([message] if message else []),
        f"Condition x {relation} {other} did not hold.",
        f"Indices of first {len(wrong)} different values:", str(wrong),
        "Corresponding x values:", format_array(left[tuple(wrong.T)], summarize),
        *(["Corresponding y values:", format_array(right[tuple(wrong.T)], summarize)] if other == "y" else []),
    ]  # fmt: skip
    for name, array in (("x", x), ("y", y)) if other == "y" else (("x", x),):
        first = array.reshape(-1)[:summarize]
        lines += [f"First {len(first)} elements of {name}:", format_array(first, summarize)]
    raise InvalidArgumentError("\n".join(lines))


RELATION = op("assert_relation", gradient=NOT_DIFFERENTIABLE, infer=lambda *_, **__: (), numpy=_check_relation,
              effects=Effects.RAISES, native=True,
              holds=lambda make, x, y, *, relation, **_: make(OPS[_RELATIONS[relation].__name__], x, y),
              doc="Raises unless the relation holds between all elements of the inputs.",
              attributes=kinds("summarize", relation=TEXT, other=TEXT, message=TEXT))  # fmt: skip


def _check_numerics(x: Array, *, message: str) -> Any:
    array = np.asarray(x)
    if not np.isfinite(array).all():
        real = array.real
        found = {"-Inf": np.isneginf(real).any(), "Inf": np.isposinf(real).any(), "NaN": np.isnan(array).any()}
        kinds = [kind for kind, is_there in found.items() if is_there]
        listed = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
        raise InvalidArgumentError(f"{message} : Tensor had {listed} values ({counts(array)} among {array.size})")
    return x


CHECK_NUMERICS = op("check_numerics", gradient=lambda g, out, x, message: (g,), infer=lambda x, message: x,
                    effects=Effects.RAISES, native=True, holds=lambda make, x, **_: make(OPS["isfinite"], x),
                    numpy=_check_numerics, doc="The input; raises when it holds a NaN or an infinity.",
                    attributes=kinds("", message=TEXT))  # fmt: skip


def compare(given: Sequence[Any], patterns: Sequence[tuple[Any, ...]], message: str) -> None:
    """Raise `InvalidArgumentError` where shapes do not fit; dimensions that are not known fit everything."""
    sizes: dict[Any, tuple[int, int]] = {}
    for number, (shape, pattern) in enumerate(zip(given, patterns, strict=True)):
        if shape is None:
            continue
        named = [each for each in pattern if each != "..."]
        if len(shape) != len(named) if len(named) == len(pattern) else len(shape) < len(named):
            kind = "" if len(named) == len(pattern) else "at least "
            raise _unfit(message, f"tensor {number} must have rank {kind}{len(named)}", shape)
        part = shape[len(shape) - len(named) :] if pattern[:1] == ("...",) else shape
        for i, (size, wanted) in enumerate(zip(part, named, strict=False)):
            if size is None or wanted is None:
                continue
            if isinstance(wanted, int):
                if size != wanted:
                    raise _unfit(message, f"tensor {number} dimension {i} must have size {wanted}", shape)
            elif sizes.setdefault(wanted, (size, number))[0] != size:
                known, first = sizes[wanted]
                raise _unfit(message, f"tensor {number} dimension {i} must have size {known}, as {wanted!r} in tensor "
                             f"{first}", shape)  # fmt: skip


def _unfit(message: str, text: str, shape: tuple[int, ...]) -> InvalidArgumentError:
    return InvalidArgumentError(f"{message}{'. ' if message else ''}{text}; its shape is {shapes.show(shape)}")


def _check_shapes(*given: Array, patterns: tuple[Any, ...], message: str) -> tuple[()]:
    compare([tuple(map(int, shape)) for shape in given], patterns, message)
    return ()


SHAPES = op("assert_shapes", gradient=NOT_DIFFERENTIABLE, infer=lambda *_, **__: (), numpy=_check_shapes,
            effects=Effects.RAISES, native=True,
            doc="Raises unless the shapes, the inputs, fit the patterns.",
            attributes=kinds("", patterns=PLAIN, message=TEXT))  # fmt: skip


def check_rank(shape: Sequence[int] | Array, *, ranks: tuple[int, ...], message: str) -> tuple[()]:
    """Raise `InvalidArgumentError` unless a shape has one of the given lengths."""
    if len(shape) not in ranks:
        raise _unfit(message, f"the tensor must have rank in {ranks}", tuple(map(int, shape)))
    return ()


RANK = op("assert_rank_in", gradient=NOT_DIFFERENTIABLE, infer=lambda *_, **__: (), numpy=check_rank,
          effects=Effects.RAISES, native=True,
          doc="Raises unless the length of the shape, the input, is one of those given.",
          attributes=kinds("", ranks=tuple_of(INT), message=TEXT))  # fmt: skip
