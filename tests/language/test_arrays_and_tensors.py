"""L12: a name that holds an array in one branch, or before a loop, and a tensor in the other, or after a turn.

What is stored into it is stored into the array, if that is what it holds: all names of that see it. Each program is as
in Python, where `n` is a number, or a refusal names its file, a line and a remedy.
"""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

from .heap_programs import filled, made
from .test_heap_regressions import equal_or_refused

TENSORS = ("x = x + n", "x = x * n", "x = n", "x = [n][0]", "x = np.array([3])", "x = x + 1")
PLACES = ("if n > 5:", "while n > 5:", "for _ in range(n - 1):")
STORES = (
    "y[0] = 1", "x[0] = 1", "z = x; z[0] = 1", "y += 1", "x += 1", "z = x; z += 1", "z = x[:1]; z[0] = 1", "y.fill(9)",
    "l = [x]; l[0][0] = 7", "l = [y]; l[0][0] = 7", "np.add(y, 1, out=y)", "np.add(x, 1, out=x)",
)  # fmt: skip
PROGRAM = """
def f(n):
    x = np.array([6])
    y = x
    PLACE
        TENSOR
    STORE
    return x, y
"""


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("place", PLACES)
def test_a_store_reaches_the_array(place: str, store: str) -> None:
    for tensor in TENSORS:
        equal_or_refused(made(filled(PROGRAM, PLACE=place, TENSOR=tensor, STORE=store)), 0)


def test_a_pattern_may_bind_the_name() -> None:
    equal_or_refused(
        made(
            """
            def f(n):
                b = [n]
                x = np.array([6])
                if n:
                    match b:
                        case [x, *_]:
                            pass
                z = x
                z[0] = 1
                return x
            """
        ),
        0,
    )


def test_to_other_tensors_it_is_a_tensor() -> None:
    @tf.function
    def f(n: tf.Tensor, wide: tf.Tensor, narrow: tf.Tensor) -> tf.Tensor:
        x = np.zeros(2)
        if n > 0:
            x = wide
        return x + narrow

    narrow = tf.constant([1, 2], tf.float32)
    assert f(tf.constant(1), tf.constant([1, 2], tf.float64), narrow).dtype is tf.float64
