"""Seeds made of seeds, for stateless random numbers: as many independent ones as a program needs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ...base.dtypes import int32
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ..elementwise.elementwise import cast
from ..infer import require
from ..shape.joining import stack
from .random import stateless_uniform

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor

__all__ = ["experimental", "fold_in", "split"]


def split(seed: TensorLike, num: int = 2, alg: str = "auto_select") -> Tensor:
    """`num` seeds, the rows of a matrix, made of one: each gives numbers of its own.

    `seed` is two integers; the result has its dtype. `alg` changes nothing: the algorithm is Philox always. Raises
    `InvalidArgumentError` for any other seed.

    >>> import autograph as tf
    >>> first, second = tf.unstack(tf.random.split([1, 2]))
    >>> bool(tf.random.stateless_uniform([], first) == tf.random.stateless_uniform([], second))
    False
    """
    seed = _checked(seed)
    return _drawn([num, 2], seed)


def fold_in(seed: Any, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """A seed made of another and an integer, such as the number of a step. Raises and is of a dtype as `split`."""
    seed = _checked(seed)
    return stack([_drawn([], seed), cast(convert_to_tensor(data), seed.dtype)])


def _checked(seed: TensorLike) -> Any:
    seed = convert_to_tensor(seed, dtype_hint=int32)
    require(seed.dtype.is_integer, f"a seed is made of integers, not of {seed.dtype.name}")
    return seed


def _drawn(shape: list[int], seed: Any) -> Any:
    return stateless_uniform(shape, seed, None, None, seed.dtype)


experimental = SimpleNamespace(stateless_fold_in=fold_in, stateless_split=split)
