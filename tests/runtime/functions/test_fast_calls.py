"""Calls like one before take a quick way, which must take no call that is of another kind."""

from __future__ import annotations

import gc
import itertools
import threading
import traceback
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SignatureError
from autograph.runtime.functions.fast_calls import MISS
from tests.work import work

pytestmark = [
    pytest.mark.filterwarnings("ignore::autograph.runtime.functions.retracing.RetracingWarning"),
    pytest.mark.usefixtures("unwatched"),
]


class Point(NamedTuple):
    x: Any
    y: Any


class Own(NamedTuple("Own", [("x", Any), ("y", Any)])):
    def __getitem__(self, i):
        return super().__getitem__(1 - i)


class Thing:
    def __init__(self, number):
        self.number = number


def described(value):
    """What a traced function can tell of an argument, so that a wrong trace gives a wrong text."""
    if isinstance(value, tf.Tensor):
        return f"{value.dtype.name}{value.shape}"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{key}: {described(each)}' for key, each in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(described, list(value)))})"
    return f"{type(value).__name__} {value.number if isinstance(value, Thing) else value!r}"


def numbers(value):
    if isinstance(value, dict):
        return sum([numbers(value[key]) * (i + 2) for i, key in enumerate(sorted(value))], tf.constant(0.0))
    if isinstance(value, (list, tuple)):
        return sum([numbers(each) * (i + 2) for i, each in enumerate(list(value))], tf.constant(0.0))
    if not isinstance(value, tf.Tensor):
        return tf.constant(1.0)
    return tf.constant(7.0) if value.dtype == tf.string else tf.reduce_sum(tf.cast(value, tf.float32))


ONE, TWO = Thing(1), Thing(2)
FORMS = [
    lambda: tf.constant(1.0), lambda: tf.constant(2.0), lambda: tf.constant(1), lambda: tf.constant([1.0, 2.0]),
    lambda: tf.constant([[1.0, 2.0]]), lambda: tf.constant(1.0, tf.float64), lambda: tf.constant("a"),
    lambda: np.float32(1), lambda: np.float64(1), lambda: np.ones(2, np.float32), lambda: np.ones(3, np.float32),
    lambda: np.ones(2, ">f4"), lambda: np.array(["a", "b"]), lambda: np.ones((2, 2), np.float32).T,
    lambda: 1, lambda: 1.0, lambda: True, lambda: 0, lambda: 0.0, lambda: -0.0, lambda: False, lambda: float("nan"),
    lambda: 2, lambda: "1", lambda: b"1", lambda: None, lambda: ..., lambda: 1j, lambda: range(2),
    lambda: ONE, lambda: TWO, lambda: Thing(3),
    lambda: [], lambda: (), lambda: {}, lambda: [1], lambda: (1,), lambda: [1, 2], lambda: [True],
    lambda: [tf.constant(1.0)], lambda: (tf.constant(1.0),), lambda: [tf.constant(1.0), tf.constant(3.0)],
    lambda: {"a": tf.constant(1.0), "b": tf.constant(3.0)}, lambda: {"b": tf.constant(1.0), "a": tf.constant(3.0)},
    lambda: {"a": tf.constant(1.0)}, lambda: {"a": [tf.constant(1.0), 2]}, lambda: {"a": [tf.constant(1.0), 3]},
    lambda: {1: tf.constant(1.0)}, lambda: Point(tf.constant(1.0), 2), lambda: Own(tf.constant(1.0), tf.constant(2.0)),
    lambda: (tf.constant(1.0), 2), lambda: [[[tf.constant([1.0])]]],
]  # fmt: skip


def fresh():
    @tf.function(autograph=False)
    def f(x, y=5, *rest, k=(1, 2.0), **others):
        return numbers([x, y, *rest, k, others]), {"text": tf.constant(described([x, y, rest, k, others]))}

    return f


def outcome(f, *args, **kwargs):
    number, texts = f(*args, **kwargs)
    return number.numpy(), texts["text"].numpy()


@pytest.fixture(scope="module")
def expected():
    return [outcome(fresh(), form()) for form in FORMS]


@pytest.mark.parametrize("first", range(len(FORMS)))
def test_a_call_after_others_of_another_kind(first, expected):
    f = fresh()
    for form, result in zip(FORMS, expected, strict=True):
        for _ in range(5):
            assert outcome(f, FORMS[first]()) == expected[first]
        assert outcome(f, form()) == result, described(form())


CALLS = [
    ((), {"x": 1.0}), ((1.0,), {}), ((1.0, 2.0), {}), ((1.0,), {"y": 2.0}), ((), {"y": 2.0, "x": 1.0}),
    ((), {"x": 2.0, "y": 1.0}), ((1.0, 2.0, 3.0), {}), ((1.0, 2.0, 3.0, 4.0), {}), ((1.0,), {"k": 3.0}),
    ((1.0,), {"a": 3.0}), ((1.0,), {"b": 3.0}), ((1.0,), {"b": 3.0, "a": 4.0}), ((1.0,), {"a": 4.0, "b": 3.0}),
    ((1.0, 2.0, 3.0), {"k": 7.0, "z": 4.0}),
]  # fmt: skip


@pytest.mark.parametrize("first", range(len(CALLS)))
def test_a_call_with_other_parameters_after_calls(first):
    def tensors(call):
        return [tf.constant(x) for x in call[0]], {name: tf.constant(x) for name, x in call[1].items()}

    f = fresh()
    args, kwargs = tensors(CALLS[first])
    assert len({outcome(f, *args, **kwargs) for _ in range(12)}) == 1
    for call in CALLS:
        args, kwargs = tensors(call)
        assert outcome(f, *args, **kwargs) == outcome(fresh(), *args, **kwargs), call


def is_quick(f, *args, **kwargs):
    """Whether a call takes the quick way."""
    return f.trace_cache.fast.call(args, kwargs) is not MISS


def called(f, *args, **kwargs):
    for _ in range(8):
        result = f(*args, **kwargs)
    return result


def test_the_quick_way_is_taken():
    x, d, n = tf.constant([1.0]), {"w": tf.constant(1.0), "b": [tf.constant(2.0)]}, np.ones(2, np.float32)
    for args, kwargs in [
        ((x,), {}), ((d,), {}), ((x, 3), {}), ((x, 3.5), {}), ((x, "a"), {}), ((x, None), {}), ((x, True), {}),
        ((n,), {}), ((np.float32(1),), {}), ((x, ONE), {}), ((Point(x, x),), {}), ((x,), {"k": x, "z": x}),
        ((x, x, x, x), {}), ((), {"x": x}), ((tf.Variable(1.0),), {}),
    ]:  # fmt: skip
        f = fresh()
        called(f, *args, **kwargs)
        assert is_quick(f, *args, **kwargs), (args, kwargs)
        assert f.experimental_get_tracing_count() == 1


def test_it_does_a_third_of_the_work():
    x = tf.constant([1.0])
    f = tf.function(lambda a, b: a["p"] + b, jit_compile=False)  # counting until machine code pays is work too
    f({"p": x}, x)
    slow = work(lambda: f({"p": x}, x))
    called(f, {"p": x}, x)
    assert work(lambda: f({"p": x}, x)) < slow / 3


def test_results_are_structured():
    @tf.function
    def f(x):
        return {"b": [x, None], "a": (x + 1, Point(x + 2, [])), "c": {}}

    x = tf.constant(1.0)
    before = repr(f(x))
    first = called(f, x)
    assert repr(first) == before and list(first) == ["b", "a", "c"]
    assert type(first["a"][1]) is Point
    first["b"].append(3)
    assert repr(f(x)) == before


def test_results_of_every_type():
    for value in [1.0, 1, True, "text", [1.0], ["a"], 2j, [[1]]]:
        f = tf.function(lambda x: (x, tf.identity(x)))
        for _ in range(6):
            for part in f(tf.constant(value)):
                assert isinstance(part.numpy(), (np.ndarray, np.generic, bytes)) and type(part.array) is np.ndarray
                np.testing.assert_array_equal(part.numpy(), tf.constant(value).numpy())


def test_arrays_are_copied():
    f = tf.function(lambda x: x)
    array = np.ones(2)
    result = called(f, array)
    array[0] = 5
    np.testing.assert_array_equal(result, [1, 1])


def test_stores_into_arrays_are_refused():
    @tf.function
    def f(x):
        x[0] = 3.0
        return x

    for _ in range(8):
        f(tf.constant([1.0, 2.0]))
        with pytest.raises(ValueError, match="should not modify its Python input arguments"):
            f(np.array([1.0, 2.0], np.float32))


def test_a_changed_default_is_seen():
    default = [1.0]

    @tf.function
    def f(x, items=default):
        return x * len(items)

    x = tf.constant(2.0)
    assert called(f, x).numpy() == 2
    default.append(2.0)
    assert f(x).numpy() == 4


def test_switches_are_obeyed():
    ran = []

    @tf.function(autograph=False)
    def f(x):
        ran.append(isinstance(x.shape, object))
        return tf.math.log(x)

    x = tf.constant(-1.0)
    called(f, x)
    assert len(ran) == 1
    tf.config.run_functions_eagerly(True)
    try:
        f(x)
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(ran) == 2
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(InvalidArgumentError, match="NaN"):
            f(x)
    finally:
        tf.debugging.disable_check_numerics()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == -1
    g = tf.function(lambda x: f(x) + 1)
    assert "call" in [node.op.name for node in g.get_concrete_function(x).graph.nodes]


def test_bound_methods_have_ways_of_their_own():
    class Model:
        def __init__(self, factor):
            self.factor = factor

        @tf.function
        def scaled(self, x):
            return x * self.factor

    models, x = [Model(2.0), Model(3.0)], tf.constant(1.0)
    assert [called(model.scaled, x).numpy() for model in models] == [2, 3]
    assert [called(model.scaled, x).numpy() for model in models] == [2, 3]


def test_input_signatures_still_hold():
    f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None], tf.float32)])
    called(f, tf.constant([1.0]))
    np.testing.assert_array_equal(f([1, 2]), [2, 3])
    np.testing.assert_array_equal(called(f, [1.0]), [2])
    with pytest.raises(SignatureError):
        f(tf.constant([1]))


def test_arguments_are_not_kept():
    @tf.function
    def f(x, thing):
        return x + thing.number

    thing, x = Thing(1), tf.constant(1.0)
    called(f, x, thing)
    reference = weakref.ref(thing)
    tensor = weakref.ref(x)
    del thing, x
    gc.collect()
    assert reference() is None and tensor() is None


def test_errors_are_shown_at_the_users_lines():
    @tf.function
    def f(x, i):
        return tf.gather(x, i)

    x = tf.constant([1.0])
    called(f, x, tf.constant(0))
    with pytest.raises(tf.errors.OutOfRangeError) as caught:
        f(x, tf.constant(3))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert caught.value.line == f.python_function.__code__.co_firstlineno + 2


def test_many_kinds_take_turns():
    f = tf.function(lambda x: x + 1, reduce_retracing=True)
    tensors = [tf.constant(np.zeros(n, np.float32)) for n in range(1, 100)]
    for _ in range(4):
        for x in tensors:
            np.testing.assert_array_equal(f(x), np.ones(x.shape[0]))


def test_threads():
    f = fresh()
    wrong: list[Any] = []

    def run(value):
        expected = outcome(fresh(), tf.constant(value))
        for _ in range(200):
            if outcome(f, tf.constant(value)) != expected:
                wrong.append(value)

    values = [1.0, [1.0, 2.0], 1, [[3.0]]]
    threads = [threading.Thread(target=run, args=(value,)) for value in itertools.chain(values, values)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and f.experimental_get_tracing_count() == 4
