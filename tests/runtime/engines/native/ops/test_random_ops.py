"""Random graphs of ops on all dtypes, with branches and loops: integers wrap, divisors are zero, floats are special."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.runtime.base import dtypes
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.tensors import trace
from tests.programs.profile import examples

from ....graphs import cond, graph_of, while_loop
from ....ways import CHOICES, agree

NAMES = "bool_ int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()
SHAPES = [(), (), (5,), (1,), (3, 5), (3, 1), (0,), (70,), (5, 3), (3, 0)]
OF_TWO: list[Callable[..., Any]] = [
    tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.math.floordiv, tf.math.floormod, tf.truncatediv,
    tf.truncatemod, tf.bitwise.bitwise_and, tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor, tf.bitwise.left_shift,
    tf.bitwise.right_shift, tf.math.divide, tf.math.divide_no_nan, tf.math.multiply_no_nan, np.copysign, np.fmod,
    tf.math.squared_difference, lambda x, y: x // y, lambda x, y: x % y, lambda x, y: x << y, lambda x, y: x >> y,
    tf.equal, tf.not_equal, tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.logical_and, tf.logical_or,
]  # fmt: skip
# `fmin` and `fmax` are left out: which zero they give of 0.0 and -0.0 depends in NumPy on the place in the array.
OF_ONE: list[Callable[..., Any]] = [
    tf.negative, tf.abs, tf.sign, tf.square, tf.sqrt, tf.floor, tf.math.ceil, np.trunc, tf.math.rint, tf.nn.relu,
    tf.math.is_nan, tf.math.is_inf, tf.math.is_finite, tf.math.reciprocal, tf.bitwise.invert, np.signbit, tf.identity,
    tf.logical_not, tf.transpose, lambda x: tf.clip_by_value(x, 1, 3), lambda x: x[::-1],
    lambda x: tf.concat([x, x], 0),
]  # fmt: skip
REDUCTIONS: list[Callable[..., Any]] = [
    tf.reduce_max, tf.reduce_min, tf.reduce_any, tf.reduce_all, tf.argmax, tf.argmin, tf.math.count_nonzero,
]  # fmt: skip
OF_INTEGERS: list[Callable[..., Any]] = [tf.reduce_sum, tf.reduce_prod, tf.cumsum, tf.math.cumprod]


class Builder:
    """Draws one graph, op by op; what does not fit its inputs is left out."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def add_to(self, pool: list[Any], count: int, depth: int) -> None:
        for _ in range(count):
            graph = trace.current_graph()
            assert graph is not None
            mark = graph.mark()
            try:
                made = self.step(pool, depth)
            except (tf.errors.AutographError, TypeError, ValueError, IndexError, OverflowError):
                graph.truncate(mark)
            else:
                pool.append(made)

    def step(self, pool: list[Any], depth: int) -> Any:
        choose = self.random.choice
        x, kind = choose(pool), self.random.randrange(24 if depth else 21)
        alike = [each for each in pool if each.dtype == x.dtype]
        if kind < 10:
            constant = kind == 9 and x.dtype != tf.bool
            return choose(OF_TWO)(x, choose([0, 1, 2, 3, 7, -1]) if constant else choose(alike))
        if kind < 14:
            return choose(OF_ONE)(x)
        if kind < 16:
            return tf.cast(x, getattr(dtypes, choose(NAMES)))
        if kind == 16:
            return tf.where(choose([each for each in pool if each.dtype == tf.bool] or [True]), x, choose(alike))
        if kind < 19:
            return choose(REDUCTIONS)(x, axis=choose([0, -1, None]))
        if kind == 19 and x.dtype.is_integer:
            return choose(OF_INTEGERS)(x, axis=choose([0, -1]))
        if kind <= 20:
            index = choose([each for each in pool if each.dtype.is_integer] or [0])
            return tf.gather(x, index) if kind == 20 else x[index]
        return self.cond(pool, x, depth - 1) if kind == 21 else self.loop(pool, x, depth - 1)

    def result(self, pool: list[Any], x: Any, depth: int) -> Any:
        pool = list(pool)
        self.add_to(pool, 4, depth)
        return [each for each in pool if each.dtype == x.dtype and each.shape == x.shape][-1]

    def cond(self, pool: list[Any], x: Any, depth: int) -> Any:
        test = tf.reduce_any(tf.cast(self.random.choice(pool), tf.bool))
        return cond(test, lambda: [self.result(pool, x, depth)], lambda: [self.result(pool, x, depth)])[0]

    def loop(self, pool: list[Any], x: Any, depth: int) -> Any:
        turns = self.random.randrange(4)

        def body(i: Any, y: Any) -> list[Any]:
            return [i + 1, self.result([*pool, i, y], x, depth)]

        return while_loop(lambda i, _: i < turns, body, [tf.constant(0), x])[1]


def graph_for(random: Random) -> Graph:
    names = [random.choice(NAMES) for _ in range(random.randint(1, 3))]
    types = [Type(getattr(dtypes, name), random.choice(SHAPES)) for name in names for _ in range(2)]

    def function(*parameters: Any) -> list[Any]:
        pool = list(parameters)
        Builder(random).add_to(pool, random.randint(3, 20), 2)
        return pool[len(parameters) :] or pool

    return graph_of(function, *types)


def array_for(type_: Type, random: Random) -> np.ndarray:
    """Special numbers, any numbers or small ones."""
    dtype, shape = np.dtype(type_.dtype.numpy), type_.shape
    assert shape is not None
    size, way = int(np.prod(shape)), random.randrange(4)
    if dtype.kind == "b":
        numbers: list[Any] = [random.random() < 0.5 for _ in range(size)]
    elif dtype.kind == "f":
        limits = np.finfo(dtype)
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 7.0, 128.0, -129.0, 2.0**31, 2.0**63, np.inf, -np.inf,
                   np.nan, limits.max, limits.tiny, limits.smallest_subnormal]  # fmt: skip
        numbers = [random.choice(special) if way < 2 else random.gauss(0, 10 if way == 2 else 1) for _ in range(size)]
    else:
        info = np.iinfo(dtype)
        special = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, max(info.min, -1), max(info.min, -3)]
        low, high = (info.min, info.max) if way == 2 else (max(info.min, -8), 8)
        numbers = [random.choice(special) if way < 2 else random.randint(low, high) for _ in range(size)]
    return np.array(numbers, dtype).reshape(shape)


@examples(40)
@given(st.randoms(use_true_random=False), st.sampled_from(CHOICES[1:]))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_ops(random: Random, choice: list[str]) -> None:
    graph = graph_for(random)
    calls = [[array_for(value.type, random) for value in graph.inputs] for _ in range(3)]
    kept = [[array.copy() for array in arrays] for arrays in calls]
    agree(graph, *calls, choices=[CHOICES[0], choice])
    for arrays, before in zip(calls, kept, strict=True):
        for array, old in zip(arrays, before, strict=True):
            assert array.tobytes() == old.tobytes()
