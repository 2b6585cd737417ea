"""`tf.debugging.Assert`: an error of a run, which shows some tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import Array, bool_
from ...ir.effects import Effects
from ...ir.kinds import kinds
from ...ir.op import NOT_DIFFERENTIABLE, op
from ...tensors import trace
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ..kernels.print_format import format_array


def _assert(condition: Array, *data: Array, summarize: int) -> tuple[()]:
    if not np.all(condition):
        shown = "".join(f"\n{format_array(np.asarray(each), summarize)}" for each in data)
        raise InvalidArgumentError(f"Expected a condition to be true. Summarized data: {shown}")
    return ()


ASSERT = op("assert_true", gradient=NOT_DIFFERENTIABLE, infer=lambda *_, **__: (), numpy=_assert,
            effects=Effects.RAISES, native=True, holds=lambda make, condition, *_, **__: condition,
            samples=lambda: [((np.array([True]), np.float32(2)), {"summarize": 3})],
            raises=(InvalidArgumentError,),
            doc="Raises with the rest of the inputs unless all of the first one is true.",
            attributes=kinds("summarize"))  # fmt: skip


def Assert(condition: TensorLike, data: Iterable[Any], summarize: int | None = None, name: str | None = None) -> None:
    """Raise `InvalidArgumentError`, which shows the tensors in ``data``, unless the condition is true."""
    tensors = map(convert_to_tensor, data)
    trace.apply(ASSERT, convert_to_tensor(condition, bool_), *tensors, name=name or "Assert",
                summarize=3 if summarize is None else summarize)  # fmt: skip
