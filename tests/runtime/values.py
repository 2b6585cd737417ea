"""Tables of expressions and the values that TensorFlow gives for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as tf

__all__ = ["check_value", "evaluate", "numbers"]


def numbers(*shape: int) -> Any:
    """0, 1, 2 … in a shape, as int32."""
    return np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)


def evaluate(expression: str) -> Any:
    """The value of an expression with `tf`, `np` and `numbers`."""
    return eval(expression, {"tf": tf, "np": np, "numbers": numbers})


def check_value(expression: str, value: Any, **tolerance: float) -> None:
    """Check that an expression has a value, eagerly and in a graph: an array, bytes, or a tuple of them.

    ``"None"`` stands for None in a tuple. ``tolerance`` is that of `numpy.testing.assert_allclose`.
    """

    def compute() -> Any:
        return evaluate(expression)

    for result in (compute(), tf.function(compute, autograph=False)()):
        several = isinstance(result, tuple)
        for part, wanted in zip(result if several else (result,), value if several else (value,), strict=True):
            if part is None:
                assert wanted == "None"
            elif isinstance(wanted, bytes):
                assert part.numpy() == wanted
            else:
                np.testing.assert_allclose(part.numpy(), wanted, **tolerance)
