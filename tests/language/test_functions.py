"""L17–L20, L23, L24, L26: functions of every kind, built-ins, strings, errors."""

from __future__ import annotations

import functools
import linecache
import traceback
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check


def test_builtins_on_tensors():
    def f(xs, x):
        return (
            abs(x), int(x), float(x), bool(x), min(xs), max(xs), max(x, 3), sum(xs), any(xs > 2), all(xs > 0),
            round(x), divmod(x, 2), len(xs), np.stack(sorted(xs)), np.stack(sorted(xs, reverse=True)),
        )  # fmt: skip

    check(f, (np.array([3, 1, 2]), -7), (np.array([1, 5, 9]), 8))


def test_sorted_reverse_false_ascends():
    def f(xs):
        return np.stack(sorted(xs, reverse=False)), np.stack(sorted(xs, key=lambda v: -v))

    check(f, np.array([3, 1, 2]))


def test_strings_of_tensors():
    @tf.function
    def f(x):
        return f"x = {x}", str(x), "{}!".format(x)

    assert as_python(f(tf.constant(7))) == (b"x = 7", b"7", b"7!")


def test_lambdas_on_one_line():
    def f(x):
        g, h = lambda v: v + 1 if v > 0 else v - 1, lambda v, k=3: v * k if v > 0 else v * 2
        return g(x), h(x), (lambda v: (lambda w: w if w > 1 else -w)(v))(x)

    check(f, 2, -2)


def test_late_binding_closures():
    def f(x):
        functions = []
        for k in [1, 2, 3]:
            functions.append(lambda v: v + k if v > 0 else v - k)
        return [g(x) for g in functions][0]

    check(f, 5, -5)


def helper(x):
    return x * 2 if x > 0 else -x


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) + 1

    return wrapper


@decorate
def decorated(x):
    if x > 0:
        return x
    return -x


def test_callees_decorators_and_partial():
    def f(x):
        return helper(x) + decorated(x) + functools.partial(helper)(x) + functools.reduce(lambda a, b: a + b, [x, x])

    check(f, 3, -3)


class Base:
    scale = 2

    def area(self, x):
        if x > 0:
            return x * self.scale
        return x

    @staticmethod
    def twice(x):
        return x * 2 if x > 0 else x

    @classmethod
    def scaled(cls, x):
        return cls.scale * x if x > 0 else x

    def __private(self, x):
        return x + 1 if x > 0 else x

    def use_private(self, x):
        self.__kept = self.__private(x)
        return self.__kept


class Derived(Base):
    def area(self, x):
        if x > 10:
            return super().area(x) + 1
        return super().area(x)

    def __call__(self, x):
        return self.area(x) if x != 5 else x


def test_methods_super_static_class_call_and_private_names():
    thing = Derived()

    def f(x):
        return thing.area(x), thing(x), Base.twice(x), Derived.scaled(x), Derived().use_private(x)

    check(f, 20, 5, -5)


def test_decorated_methods_have_one_cache_per_instance():
    class Model:
        def __init__(self, k):
            self.k = k

        @tf.function
        def call(self, x):
            if x > 0:
                return x * self.k
            return x

    assert Model(2).call(tf.constant(3)).numpy() == 6
    assert Model(5).call(tf.constant(3)).numpy() == 15


def test_generators_keep_their_meaning_and_refuse_staging():
    def numbers(n):
        for i in range(n):
            if i % 2:
                yield i

    @tf.function
    def f(x):
        for i in numbers(6):
            x = x + i
        return x

    assert f(tf.constant(1)).numpy() == 10

    def staged(x):
        if x > 0:
            yield x

    @tf.function
    def g(x):
        return list(staged(x))

    with pytest.raises(tf.errors.StagingError, match="yield|generator"):
        g(tf.constant(1))


def test_functions_without_source():
    namespace: dict = {}
    exec("def f(x):\n    if x > 0:\n        return 1\n    return 2\n", namespace)
    with pytest.raises(tf.errors.SourceNotFoundError):
        tf.autograph.to_code(namespace["f"])

    text = "def f(x):\n    if x > 0:\n        return 1\n    return 2\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    exec(compile(text, "<cell 1>", "exec"), namespace)
    assert tf.function(namespace["f"])(tf.constant(3)).numpy() == 1


def failing(x):
    y = x + 1
    if x > 0:
        z = y.reshape((3, 3))  # this line fails
        return z
    return y


def test_errors_show_the_users_lines():
    with pytest.raises(Exception) as caught:  # noqa: B017
        tf.function(failing)(tf.constant([1, 2])[0])
    lines = [f.line for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    text = str(caught.value) + "".join(map(str, lines))
    assert "this line fails" in text


def index_at(xs, i):
    return xs[i]  # out of range


def test_run_time_errors_show_the_users_lines():
    staged = tf.function(index_at)
    assert staged(tf.constant([1, 2]), tf.constant(1)).numpy() == 2
    with pytest.raises(IndexError) as caught:
        staged(tf.constant([1, 2]), tf.constant(9))
    assert "test_functions.py" in str(caught.value) and "out of range" in str(caught.value)


def test_staged_value_as_python_bool_outside_converted_code():
    @tf.autograph.do_not_convert
    def plain(x):
        if x > 0:
            return 1
        return 2

    with pytest.raises(tf.errors.StagedValueError, match="bool") as caught:
        tf.function(lambda x: plain(x))(tf.constant(1))
    assert "test_functions.py" in str(caught.value)


def test_structures_in_and_out():
    @tf.function
    def f(data, k):
        if data["a"][0] > k:
            return {"sum": data["a"][0] + data["b"]}
        return {"sum": data["b"]}

    assert_same(as_python(f({"a": [tf.constant(5)], "b": tf.constant(1)}, tf.constant(2))), {"sum": 6})


def test_to_graph_is_the_function_on_plain_and_eager_values():
    def f(x):
        if x < 0:
            x = -x
        return x

    converted = tf.autograph.to_graph(f)
    assert converted(-2) == 2
    assert repr(converted(tf.constant(-2))) == "<tf.Tensor: shape=(), dtype=int32, numpy=2>"
    assert converted.__name__ == "f"


def test_to_code_reads_like_python():
    code = tf.autograph.to_code(failing)
    assert "ag__.if_stmt" in code and "def if_body" in code
    compile(code, "<code>", "exec")


class Hits:
    number = 0


HITS = Hits()


def counted(made: Any) -> Any:
    HITS.number += 1
    return made


def in_a_branch(n):
    HITS.number = 0
    if n > 2:

        @counted
        def inner():
            pass

    return HITS.number


def of_a_class(n):
    HITS.number = 0
    if n > 2:

        @counted
        @counted
        class Inner:
            pass

    return HITS.number


def in_a_loop(n):
    HITS.number = 0
    i = 0
    while i < n:

        @counted
        def inner():
            pass

        i += 1
    return HITS.number


@pytest.mark.parametrize("function", [in_a_branch, of_a_class, in_a_loop])
def test_decorators_are_called_where_the_run_gets_to_them(function: Any) -> None:
    check(function, 1, 3, 4)


def test_decorators_that_are_given_values_of_the_graph() -> None:
    def function(n):
        def times(k):
            def decorate(g):
                @functools.wraps(g)
                def wrapper(*values):
                    return g(*values) * k

                return wrapper

            return decorate

        @times(3)
        @times(n)
        def add(x):
            return x + 1

        return add(n)

    check(function, 1, 5)
