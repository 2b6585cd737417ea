"""What a traced function reads of Python, and does not change: looked at in each call, or as it was when traced."""

from __future__ import annotations

import enum
import functools
import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.functions.guards import Guard, same_values

SCALE: Any = 2.0
NAME: Any = "double"
MISSING: Any = None
WEIGHTS: Any = None
ARRAY: Any = None
TRACES: list[str] = []
calls = 0


@pytest.fixture(autouse=True)
def _reset() -> None:
    global SCALE, NAME, MISSING, WEIGHTS, ARRAY
    SCALE, NAME, MISSING, WEIGHTS = 2.0, "double", None, tf.constant(1.0)
    ARRAY = np.array([1.0, 2.0], np.float32)
    TRACES.clear()


def helper(x):
    return x * SCALE


def made() -> Any:
    @tf.function
    def f(x):
        TRACES.append("f")
        y = helper(x)
        if NAME == "triple":
            y = y * 1.5
        return y if MISSING is None else y + MISSING

    return f


def many(f: Any, x: float) -> float:
    """What a call gives that has come often enough to take the quick way."""
    for _ in range(5):
        result = float(f(tf.constant(x)))
    return result


def test_another_number_or_string_in_a_global_variable_is_traced_anew() -> None:
    global SCALE, NAME, MISSING
    f = made()
    assert many(f, 1.0) == 2.0
    SCALE = 5.0
    assert many(f, 1.0) == 5.0
    NAME = "triple"
    assert many(f, 1.0) == 7.5
    MISSING = 1
    assert many(f, 1.0) == 8.5
    assert len(TRACES) == 4


def test_a_value_that_comes_back_has_its_trace() -> None:
    global SCALE
    f = made()
    for SCALE in (2.0, 3.0, 2.0, 3.0):
        assert many(f, 1.0) == SCALE
    assert len(TRACES) == 2


def test_another_value_in_a_variable_around_is_traced_anew() -> None:
    factor = 2

    @tf.function
    def f(x):
        TRACES.append("f")
        return x * factor

    assert many(f, 1.0) == 2.0
    factor = 3
    assert many(f, 1.0) == 3.0 and len(TRACES) == 2


def test_a_variable_that_is_gone_is_another_value() -> None:
    f = made()
    assert many(f, 1.0) == 2.0
    del globals()["SCALE"]
    with pytest.raises(NameError):
        f(tf.constant(1.0))
    globals()["SCALE"] = 2.0
    assert many(f, 1.0) == 2.0


def test_other_tensors_and_arrays_become_inputs() -> None:
    global WEIGHTS, ARRAY

    @tf.function
    def f(x):
        TRACES.append("f")
        return x * WEIGHTS + tf.reduce_sum(ARRAY)

    for i in range(6):
        WEIGHTS, ARRAY = tf.constant(float(i)), np.array([i, 1.0], np.float32)
        assert many(f, 2.0) == 3.0 * i + 1.0
    assert len(TRACES) == 2
    ARRAY[0] = 100.0  # of an input the elements are read
    assert many(f, 2.0) == 10.0 + 101.0
    assert "`WEIGHTS` has held several tensors or arrays; it is an input of the graph from now on" in f.explain()


def test_a_tensor_that_python_needs_is_traced_for_each_value() -> None:
    global WEIGHTS

    @tf.function
    def f(x):
        return [x] * int(WEIGHTS)

    for i in (1, 2, 3, 2):
        WEIGHTS = tf.constant(i)
        assert len(f(tf.constant(1.0))) == i


def test_what_the_function_counts_in_python_is_no_constant() -> None:
    @tf.function
    def f(x):
        global calls
        calls += 1
        return x * 2

    before = calls
    for _ in range(5):
        f(tf.constant(1.0))
    assert calls == before + 1 and f.experimental_get_tracing_count() == 1


def test_what_a_function_reads_that_another_one_calls() -> None:
    global SCALE
    inner = made()

    @tf.function
    def outer(x):
        return inner(x) + 1

    assert many(outer, 1.0) == 3.0
    SCALE = 4.0
    assert many(outer, 1.0) == 5.0


def test_explain_names_constants_and_what_has_changed() -> None:
    global SCALE

    class Model:
        def __init__(self) -> None:
            self.rate = 0.5
            self.total = tf.constant(0.0)

        @tf.function
        def step(self, x):
            self.total = self.total + x * self.rate * SCALE
            return self.total

    model = Model()
    model.step(tf.constant(1.0))
    SCALE = 3.0
    model.step(tf.constant(1.0))
    text = model.step.explain()
    assert "`SCALE` is the Python value 3.0 (before: `SCALE` is the Python value 2.0); pass a tensor" in text
    assert "constants that each call looks at: `SCALE`" in text
    assert "constants that no call looks at, as they were when it was traced: `self.rate`" in text


CONFIG = {"rate": 0.5, "other": 1.0}


def test_explain_names_constants_by_their_paths() -> None:
    class Part:
        def __init__(self, **parts: object) -> None:
            self.__dict__.update(parts)

    model = Part(inner=Part(rate=2.0, table={"deep": 3.0}), scale=np.ones(2))

    @tf.function
    def f(x, part):
        return x * model.inner.rate * model.inner.table["deep"] * model.scale * CONFIG["rate"] * part.size

    f(tf.constant(1.0), Part(size=2.0))
    wanted = "`CONFIG['rate']`, `model.inner.rate`, `model.inner.table['deep']`, `model.scale`, `part.size`"
    assert f"as they were when it was traced: {wanted}" in f.explain()


RATES = [0.5, 1.0]


class Settings:
    rate = 2.0
    unused = 3.0


SETTINGS = Settings()


def test_explain_names_elements_of_lists_and_attributes_of_classes() -> None:
    @tf.function
    def f(x, given):
        return x * RATES[0] * SETTINGS.rate * given[0]

    f(tf.constant(1.0), [2.0])
    assert "as they were when it was traced: `RATES[…]`, `SETTINGS.rate`\n" in f.explain() + "\n"


def test_recursion_with_a_constant() -> None:
    global SCALE

    @tf.function
    def power(n):
        if n <= 0:
            return 1.0
        return SCALE * power(n - 1)

    assert float(power(tf.constant(3))) == 8.0
    SCALE = 3.0
    assert float(power(tf.constant(3))) == 27.0


def guard_of(function: Callable[..., Any]) -> list[Callable[[], bool]]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    guards = [Guard(name, cell, cell.cell_contents) for name, cell in cells]
    return same_values([Guard("SCALE", globals(), SCALE), *guards, Guard("NAME", globals(), NAME)])


def test_one_function_compares_the_variables_of_a_module() -> None:
    global SCALE
    k0, cell0 = 1, 2  # names like those in the guard
    (same,) = guard_of(lambda: (k0, cell0))
    assert same()
    SCALE = 2.5
    assert not same()
    SCALE = 2.0
    (same,) = guard_of(lambda: (k0, cell0))
    k0 = 5
    assert not same()


def same(x: Any) -> Any:
    return x * 2


def test_a_variable_may_have_the_name_of_the_guard() -> None:
    f = tf.function(lambda x: same(x))
    assert [int(f(tf.constant(n))) for n in range(5)] == [0, 2, 4, 6, 8]


def test_a_saved_model_has_the_traces_for_what_variables_hold_now(tmp_path: Any) -> None:
    global SCALE
    pytest.importorskip("safetensors")
    module = tf.Module()
    module.f = made()
    for SCALE in (2.0, 7.0):
        module.f(tf.constant(1.0))
    tf.saved_model.save(module, tmp_path)
    assert float(tf.saved_model.load(tmp_path).f(tf.constant(1.0))) == 7.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Number(int):
    pass


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.calls = tf.constant(0)


HELD: Any = None


@pytest.mark.parametrize(
    "first, second",
    [
        (np.float32(2), np.float32(3)), (np.sqrt(4.0), np.sqrt(9.0)), (np.int64(2), np.int64(3)),
        (Level.LOW, Level.HIGH), (np.True_, np.False_), (Number(2), Number(3)), (1, np.int64(1)),
    ],
)  # fmt: skip
def test_numbers_of_all_kinds_are_looked_at(first: Any, second: Any) -> None:
    global HELD

    @tf.function
    def f(x: Any) -> Any:
        return x * HELD if type(HELD) is not np.bool_ else (x if HELD else -x)

    def plain(x: Any) -> Any:
        return x * HELD if type(HELD) is not np.bool_ else (x if HELD else -x)

    for HELD in (first, second, first):
        assert f(tf.constant(10)).numpy() == plain(10)
    assert f.experimental_get_tracing_count() == 2


def test_tuples_of_numbers_are_looked_at_by_value() -> None:
    global HELD

    @tf.function
    def f(x: Any) -> Any:
        return x * HELD[1]

    for HELD in ((1, 2), (1, 3), (1, 2)):
        assert f(tf.constant(10)).numpy() == 10 * HELD[1]
    assert f.experimental_get_tracing_count() == 2


def test_another_object_is_another_trace_and_the_old_one_is_let_go() -> None:
    global HELD

    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            HELD.calls += 1
        return x * HELD.scale

    HELD = Model(2.0)
    assert [float(f(tf.constant(1.0))) for _ in range(3)] == [2.0] * 3 and int(HELD.calls) == 3
    old, gone = HELD, weakref.ref(HELD)
    HELD = Model(5.0)
    assert float(f(tf.constant(1.0))) == 5.0 and (int(HELD.calls), int(old.calls)) == (1, 3)
    HELD = old
    assert float(f(tf.constant(1.0))) == 2.0 and int(HELD.calls) == 4
    assert f.experimental_get_tracing_count() == 2
    HELD = old = Model(1.0)
    gc.collect()
    assert gone() is None


def double(x):
    return x * 2.0


def triple(x):
    return x * 3.0


FUNCTION: Any = double
LIST: Any = [2.0]
TABLE: Any = {"scale": 2.0}
SPACE: Any = types.SimpleNamespace(scale=2.0)
VARIABLE: Any = None


@pytest.mark.parametrize(
    ("name", "use", "values"),
    [
        ("FUNCTION", lambda x: FUNCTION(x), (double, triple, functools.partial(pow, 4.0), double)),
        ("LIST", lambda x: x * LIST[0], ([2.0], [3.0], (4.0,))),
        ("TABLE", lambda x: x * TABLE["scale"], ({"scale": 2.0}, {"scale": 3.0})),
        ("SPACE", lambda x: x * SPACE.scale, (types.SimpleNamespace(scale=2.0), types.SimpleNamespace(scale=3.0))),
        ("LIST", lambda x: x * len(LIST), ({1}, frozenset((1, 2)), range(3))),
    ],
)
def test_another_function_list_or_dict_in_a_variable_is_traced_anew(
    name: str, use: Any, values: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = tf.function(use)
    for value in values:
        monkeypatch.setitem(globals(), name, value)
        assert many(f, 1.0) == float(use(1.0))


def test_another_variable_in_a_global_variable_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    @tf.function
    def f(x):
        VARIABLE.assign_add(x)
        return VARIABLE + 0.0

    first, second = tf.Variable(1.0), tf.Variable(10.0)
    for variable in (first, second, first):
        monkeypatch.setitem(globals(), "VARIABLE", variable)
        f(tf.constant(1.0))
    assert (float(first), float(second)) == (3.0, 11.0)


def test_a_function_of_the_function_around_that_is_replaced() -> None:
    step = double

    @tf.function
    def f(x):
        return step(x)

    assert many(f, 1.0) == 2.0
    step = triple
    assert many(f, 1.0) == 3.0


@pytest.mark.parametrize("made", [lambda: types.SimpleNamespace(scale=2.0), lambda: lambda x: x, lambda: [2.0]])
def test_none_in_place_of_an_object_that_is_gone(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    f = tf.function(lambda x: x if MISSING is None else x * 5.0)
    monkeypatch.setitem(globals(), "MISSING", made())
    assert many(f, 1.0) == 5.0
    monkeypatch.setitem(globals(), "MISSING", None)
    gc.collect()
    assert many(f, 1.0) == 1.0
    monkeypatch.setitem(globals(), "MISSING", made())
    assert many(f, 1.0) == 5.0
