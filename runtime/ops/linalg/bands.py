"""Bands of matrices: what lies near the main diagonal, and zeros elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.kinds import INT, kinds
from ...ir.op import Op, Type, op
from ...tensors.likes import TensorLike
from ..infer import at_least
from ..kernels import samples as s

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

_TALL = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], np.float32)


def _infer_band(x: Type, lower: int, upper: int) -> Type:
    at_least(x.shape, 2, "a matrix")
    return x


def _band(x: Any, lower: int, upper: int) -> Any:
    rows, columns = np.ogrid[: x.shape[-2], : x.shape[-1]]
    inside = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return np.where(inside, x, np.zeros((), x.dtype))


band_part_op: Op = op(
    "band_part", infer=_infer_band, numpy=_band,
    gradient=lambda g, out, x, lower, upper: (band_part_op(g, lower=lower, upper=upper),),
    samples=lambda: [s.sample(_TALL, lower=0, upper=-1), s.sample(_TALL, lower=1, upper=0),
                     s.sample(_TALL[None], lower=-1, upper=0), s.sample([[1, 2], [3, 4]], lower=0, upper=0)],
    doc="The band of a matrix from `lower` subdiagonals to `upper` superdiagonals (all for -1); zero elsewhere.",
    attributes=kinds("upper", lower=INT),
)  # fmt: skip


def band_part(input: TensorLike, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """`input` with zeros outside the band of `num_lower` sub- and `num_upper` superdiagonals; -1 keeps all of them.

    Shape and dtype stay. Raises `InvalidArgumentError` for a vector.
    """
    return band_part_op(input, lower=int(num_lower), upper=int(num_upper), name=name)
