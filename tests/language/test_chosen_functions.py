"""Functions, methods, classes and layers of which a staged condition has chosen one: they can be called (L01, L10)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import BranchMismatchError, InaccessibleTensorError, StagedValueError

from .support import check


def increment(x: Any) -> Any:
    return x + 1


def double(x: Any) -> Any:
    return x * 2


class Counter:
    def __init__(self, step: int = 1) -> None:
        self.step = step
        self.calls = 0

    def up(self, x: Any) -> Any:
        self.calls = self.calls + 1
        return x + self.step

    def down(self, x: Any) -> Any:
        self.calls = self.calls + 10
        if x > 3:
            return x - self.step
        return -x


class Left:
    side = 1

    def __init__(self, x: Any) -> None:
        self.x = x


class Right(Left):
    side = 2


def conditional(n: Any) -> Any:
    function = increment if n > 2 else double
    return function(n) + function(n + 1)


def of_three(n: Any) -> Any:
    if n > 2:
        function = increment
    elif n > 0:
        function = double
    else:
        function = abs
    return function(n)


def or_none(n: Any) -> Any:
    function = None
    if n > 2:
        function = increment
    elif n < 0:
        function = lambda x: x * 5  # noqa: E731
    if function is not None:
        n = function(n)
    return n if not function else function(n)


def identity(n: Any) -> Any:
    function = increment if n > 2 else double
    return (
        function is increment, double is function, function is abs, function is not double, function == increment,
        function != increment, function is None, function in (double, abs), bool(function),
    )  # fmt: skip


def by_index(n: Any) -> Any:
    functions = [increment, double, lambda x, by=7: x - by]
    return functions[n % 3](n), (increment, double)[n % 2](n)


def in_a_loop(n: Any) -> Any:
    first, second = increment, double
    function = second
    for i in range(n):
        n = function(first(n))
        first, second = second, first
        function = increment if i % 3 == 1 else double
    return n


def given_to_functions(n: Any) -> Any:
    def twice(function: Callable[[Any], Any], x: Any) -> Any:
        return function(function(x))

    function = increment if n > 2 else double
    return twice(function, n), list(map(function, [n, 1])), max([3, 1], key=function)


def methods(n: Any) -> Any:
    counter, other = Counter(), Counter(5)
    method = counter.up if n > 2 else counter.down
    n = method(method(n))
    method = counter.up if n > 0 else other.up
    return method(n), counter.calls, other.calls


def methods_of_lists(n: Any) -> Any:
    one, other = [n, 1], [1]
    find = one.index if n > 2 else one.count
    add = one.append if n > 2 else other.append
    found = find(1)
    add(5)
    return found, len(one), len(other)


def effects(n: Any) -> Any:
    k = 0

    def up() -> None:
        nonlocal k
        k += 1

    def down() -> None:
        nonlocal k
        k -= n

    move = up if n > 2 else down
    move()
    move()
    return k


def returned(n: Any) -> Any:
    def pick(x: Any) -> Any:
        if x > 2:
            return increment
        return double

    return pick(n)(n), pick(n + 1)(n)


def held(n: Any) -> Any:
    table = {"function": increment}
    counter = Counter()
    counter.run = increment  # type: ignore[attr-defined]
    if n > 2:
        table["function"] = double
        counter.run = double  # type: ignore[attr-defined]
    return table["function"](n), counter.run(n)  # type: ignore[attr-defined]


def built_in(n: Any) -> Any:
    extreme = max if n > 2 else min
    kind = int if n > 2 else float
    step = partial(max, 2) if n > 2 else partial(min, 2)
    return extreme(n, 3), kind(n), step(n), (np.square if n > 2 else np.negative)(n)


def classes(n: Any) -> Any:
    kind = Left if n > 2 else Right
    return kind.side, isinstance(Left(n), kind), isinstance(3, int if n > 2 else float)


def keywords(n: Any) -> Any:
    function = (lambda x, k=1: x + k) if n > 2 else (lambda x, k=2: x * k)
    return function(n), function(x=n, k=3)


def makers(n: Any) -> Any:
    def plus(k: int) -> Any:
        return lambda x: x + k

    return (plus(1) if n > 2 else plus(2))(n)


@pytest.mark.parametrize(
    "function",
    [
        conditional, of_three, or_none, identity, by_index, in_a_loop, given_to_functions, methods, methods_of_lists,
        effects, returned, held, built_in, classes, keywords, makers,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_as_in_python(function: Callable[..., Any]) -> None:
    check(function, -3, -1, 0, 1, 2, 3, 4, 7)


def test_layers_and_traced_functions() -> None:
    layers = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(2)]
    functions = [tf.function(increment), tf.function(double)]

    @tf.function
    def f(x: Any, n: Any) -> Any:
        layer, function = (layers[0], functions[0]) if n > 0 else (layers[1], functions[1])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(x))
        return layer(x), function(n), tape.gradient(y, layers[0].kernel), layer.kernel

    x = tf.ones((1, 3))
    for layer in layers:
        layer(x)
    for n, layer, number, gradient in ((1, layers[0], 2, 1.0), (-1, layers[1], -2, 0.0)):
        y, found, slope, kernel = f(x, tf.constant(n))
        np.testing.assert_allclose(y, layer(x), rtol=1e-6)
        assert int(found) == number
        np.testing.assert_array_equal(slope, np.full((3, 2), gradient))
        np.testing.assert_array_equal(kernel, layer.kernel)


def test_an_attribute_holds_the_function_after_each_run() -> None:
    class Model:
        run = staticmethod(increment)

        @tf.function
        def step(self, n: Any) -> Any:
            self.run = increment if n > 2 else double
            return self.run(n)

    model = Model()
    for n, function in ((3, increment), (1, double), (5, increment)):
        assert int(model.step(tf.constant(n))) == function(n)
        assert model.run is function


def test_the_name_of_one() -> None:
    check(lambda n: (increment if n > 2 else double).__name__, 1, 3)


def key_of_a_dict(n: Any) -> Any:
    return {increment: 1, double: 2}[increment if n > 2 else double]


def text_of_one(n: Any) -> Any:
    return str(increment if n > 2 else double)


def of_other_classes(n: Any) -> Any:
    return (Left if n > 2 else Right)(n).x


def with_tensors_of_a_branch(n: Any) -> Any:
    def plus(k: Any) -> Any:
        return lambda x: x + k

    return (plus(n + 1) if n > 2 else plus(n * 2))(n)


@pytest.mark.parametrize(
    "function, error",
    [
        (key_of_a_dict, StagedValueError),
        (text_of_one, StagedValueError),
        (of_other_classes, BranchMismatchError),
        (with_tensors_of_a_branch, InaccessibleTensorError),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_needs_to_know_the_function_is_refused(function: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        tf.function(function)(tf.constant(3))


def a_method_of_a_class(n):
    class Box:
        def size(self):
            return self.n

        def double(self):
            return 2 * self.n

    box = Box()
    box.n = n + 1
    if n > 2:
        Box.size = Box.double
    return box.size(), Box.size(box)


def a_method_of_a_base(n):
    class Base:
        def size(self):
            return 1

    class Box(Base): ...

    if n > 2:
        Base.size = lambda self: 7
    else:
        Base.size = lambda self, more=4: 3 + more
    return Box().size()


def a_static_method(n):
    class Box:
        @staticmethod
        def size(k):
            return k

    if n > 2:
        Box.size = staticmethod(lambda k: k + 1)
    return Box().size(n), Box.size(2)


def a_class_in_a_class(n):
    class One:
        v = 1

    class Two:
        v = 2

    class Box:
        kind = One

    if n > 2:
        Box.kind = Two
    return Box().kind.v


@pytest.mark.parametrize(
    "function", [a_method_of_a_class, a_method_of_a_base, a_static_method, a_class_in_a_class]
)
def test_a_class_binds_what_is_chosen_as_python_does(function: Callable[..., Any]) -> None:
    check(function, 1, 2, 3, 5)
