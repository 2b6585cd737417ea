"""`tf.debugging.enable_check_numerics`: the op, and the user's line, that makes the first NaN or infinity.

While it is on, every op with floating-point results is checked, eagerly and in graphs (by plans of their own, made from
the graphs as they were traced). An op is at fault when a result holds a NaN or an infinity and no input does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import InvalidArgumentError

if TYPE_CHECKING:
    from ..base.dtypes import Array

enabled = False


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on, an op that makes a NaN or an infinity raises `InvalidArgumentError` with the user's line.

    It stays on, for all threads, until `disable_check_numerics`. Running takes longer.

    stack_height_limit, path_length_limit: accepted as in TensorFlow; the traceback shows the user's lines.

    >>> import autograph as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log(tf.constant([1.0, -1.0]))
    Traceback (most recent call last):
        ...
    autograph.errors.InvalidArgumentError: log: Detected Infinity or NaN in output 0: 1 NaN, 0 Inf, 0 -Inf among 2 ...
    >>> tf.debugging.disable_check_numerics()
    """
    global enabled
    enabled = True


def disable_check_numerics() -> None:
    """Stop what `enable_check_numerics` has started."""
    global enabled
    enabled = False


def check_results(name: str, results: Sequence[Any], inputs: Sequence[Any]) -> None:
    """Raise `InvalidArgumentError` when a result of an op holds a NaN or an infinity, and no input does."""
    for i, result in enumerate(results):
        if not is_finite(result) and all(map(is_finite, inputs)):
            array = np.asarray(result)
            raise InvalidArgumentError(
                f"{name}: Detected Infinity or NaN in output {i}: {counts(array)} among {array.size} "
                f"element{'s' if array.size != 1 else ''} ({array.dtype}, shape {array.shape})",
                remedy="all inputs of this operation are finite: look at their values, with tf.print before this line",
            )


def is_finite(array: Array) -> bool:
    """Whether an array has no NaN and no infinity, as all arrays have that are not of floating-point numbers."""
    dtype = getattr(array, "dtype", None)
    return dtype is None or dtype.kind not in "fc" or bool(np.isfinite(array).all())


def counts(array: np.ndarray[Any, Any]) -> str:
    """How many NaNs and infinities there are."""
    infinite = np.isinf(array)
    negative = np.count_nonzero(infinite & (array.real < 0))
    return f"{np.count_nonzero(np.isnan(array))} NaN, {np.count_nonzero(infinite) - negative} Inf, {negative} -Inf"
