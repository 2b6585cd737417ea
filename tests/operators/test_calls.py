"""`ag__.call`: what is converted, what is left alone, and what is refused in staged code."""

from __future__ import annotations

import functools
import gc
import linecache
import weakref

import numpy as np
import pytest

import autograph as tf
import autograph.operators as ag__
from autograph.config import settings
from autograph.operators import calls
from tests.language.support import as_python


def staged(function, *inputs):
    return as_python(tf.function(function)(*[tf.constant(each) for each in inputs]))


def double_positive(x):
    if x > 0:
        return x * 2
    return x


class Callable:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return double_positive(x) + self.k

    def method(self, x):
        return double_positive(x) - self.k

    @classmethod
    def of_class(cls, x):
        return cls, double_positive(x)

    @staticmethod
    def static(x):
        return double_positive(x)


@pytest.mark.parametrize("function", [len, int, Callable, np.sum, np.add, functools.reduce, print, tf.constant])
def test_left_alone_in_plain_python(function):
    assert ag__.call(function) is function


def test_a_function_is_converted_once():
    form = ag__.call(double_positive)
    assert form is not double_positive and form(3) == 6 and form(-3) == -3
    assert ag__.call(double_positive) is form and ag__.call(form) is form


def test_methods_and_callable_objects():
    obj = Callable(10)
    assert ag__.call(obj)(2) == 14
    assert ag__.call(obj.method)(2) == -6
    assert ag__.call(Callable.of_class)(2) == (Callable, 4)
    assert ag__.call(Callable.static)(2) == 4
    assert ag__.call(functools.partial(obj.method, 3))() == -4

    def f(x):
        return obj(x), obj.method(x), Callable.of_class(x)[1], Callable.static(x), functools.partial(obj.method, x)()

    assert staged(f, 3) == (16, -4, 6, 6, -4) and staged(f, -1) == (9, -11, -1, -1, -11)


def test_a_cached_function_does_not_stay_alive():
    def make():
        namespace = {}
        source = "def f(x):\n    return x\n"
        import linecache

        linecache.cache["<short lived>"] = (len(source), None, source.splitlines(True), "<short lived>")
        exec(compile(source, "<short lived>", "exec"), namespace)
        return namespace.pop("f")

    function = make()
    assert ag__.call(function)(3) == 3
    reference = weakref.ref(function)
    del function
    gc.collect()
    assert reference() is None


def test_functions_that_take_functions():
    def f(x, y):
        total = functools.reduce(lambda a, b: a + double_positive(b), [x, y, 1], 0)
        doubled = list(map(double_positive, [x, y]))
        kept = [v for v in filter(lambda v: v is not None, [x, None, y])]
        ordered = sorted([3, 1, 2], key=lambda v: -v)
        smallest = min([x, y], key=lambda v: double_positive(v) * double_positive(v))
        return total, doubled, kept, ordered[0], smallest

    def plain(x, y):
        return f(x, y)

    for inputs in ((1, 2), (-3, 2)):
        assert staged(f, *inputs) == plain(*inputs)


def test_a_function_without_source_runs_as_it_is_but_not_in_a_staged_body():
    namespace = {}
    exec("def without_source(x):\n    return x + 1\n", namespace)
    without_source = namespace["without_source"]

    assert staged(lambda x: without_source(x), 1) == 2

    def f(x):
        if x > 0:
            x = without_source(x)
        return x

    with pytest.raises(tf.errors.ConversionError, match="without_source"):
        staged(f, 1)


def test_strict_conversion_refuses_it_everywhere():
    namespace = {}
    exec("def without_source(x):\n    return x + 1\n", namespace)
    settings.strict_conversion = True
    try:
        with pytest.raises(tf.errors.ConversionError, match="without_source"):
            ag__.call(namespace["without_source"])
    finally:
        settings.strict_conversion = False


def test_do_not_convert_runs_as_written():
    @tf.autograph.experimental.do_not_convert
    def as_written(x):
        return 1 if isinstance(x, tf.Tensor) else 0

    @tf.autograph.experimental.do_not_convert
    def needs_conversion(x):
        return x if x > 0 else -x

    assert staged(lambda x: as_written(x), 5) == 1
    with pytest.raises(tf.errors.StagedValueError, match="bool"):
        staged(lambda x: needs_conversion(x), 5)


def test_lru_cache_is_left_alone():
    calls = []

    @functools.lru_cache
    def cached(n):
        calls.append(n)
        return n + 1

    def f(x):
        return x + cached(2) + cached(2)

    assert staged(f, 1) == 7 and calls == [2]


def test_classes_are_called_in_staged_bodies():
    class Pair:
        def __init__(self, x, y):
            self.x = x
            self.y = y

    def f(xs):
        total = 0
        for x in xs:
            pair = Pair(x, x + 1)
            if x > 1:
                pair.y = 100
            total += pair.x * pair.y
        return total

    assert staged(f, [1, 2, 3]) == 2 + 200 + 300


def test_recursion_over_python_values_in_a_trace():
    def power(x, n):
        if n == 0:
            return 1
        half = power(x, n // 2)
        return half * half * (x if n % 2 else 1)

    assert staged(lambda x: power(x, 5), 2) == 32


def test_functions_that_are_gone_are_forgotten_however_many_there_were() -> None:
    """One that is kept would be called in place of another that comes to lie at the same address."""
    source = "def f(x):\n    return x + 1\n"
    linecache.cache["<many>"] = (len(source), None, source.splitlines(True), "<many>")
    for _ in range(calls._MOST_IN_NAMESPACES + 20):
        namespace: dict[str, object] = {}
        exec(compile(source, "<many>", "exec"), namespace)
        assert ag__.call(namespace["f"])(1) == 2
    namespace.clear()
    gc.collect()
    dead = [entry for entry in calls._plain.values() if entry[1]() is None]
    assert not dead
