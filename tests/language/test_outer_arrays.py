"""S09: arrays outside a traced function: runs read what they hold, and what they change is seen under all names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.operators.staging.heap import heap

from .heap_programs import made
from .support import as_python, assert_same


class Box:
    def __init__(self) -> None:
        self.array = np.arange(6.0).reshape(2, 3)
        self.other = self.array
        self.view = self.array[1]
        self.held = [self.array]


GLOBAL = np.zeros(3)
VIEW = GLOBAL[1:]


def of_a_global(box: Box, n: Any) -> Any:
    GLOBAL[0] += n
    return GLOBAL.sum()


def of_a_global_view(box: Box, n: Any) -> Any:
    VIEW[0] = n
    if n > 1:
        GLOBAL[2] += 1
    return VIEW * 1


def a_constant_in_a_branch(box: Box, n: Any) -> Any:
    if n > 1:
        GLOBAL[:] = 7
    return n


def of_an_attribute(box: Box, n: Any) -> Any:
    box.array += n
    return box.other * 1


def of_a_view_in_an_attribute(box: Box, n: Any) -> Any:
    box.view[n % 3] = n
    return box.array * 1


def in_a_list_of_an_attribute(box: Box, n: Any) -> Any:
    for i in range(n):
        box.held[0][1, i % 3] -= 1
    return box.array.T * 1


def by_a_function_of_numpy(box: Box, n: Any) -> Any:
    if n > 1:
        np.multiply(box.array, n, out=box.array)
        box.view.fill(2)
    return n


def in_an_early_return(box: Box, n: Any) -> Any:
    if n > 2:
        return box.array.sum()
    box.array[0, 0] = n
    return box.other[0, 0] * 1


def of_a_default(box: Box, n: Any, array: Any = GLOBAL) -> Any:
    array[n % 3] = n
    return GLOBAL * 1


def of_a_variable_around(box: Box, n: Any) -> Any:
    return CHANGES[0](n)


def _around() -> Callable[[Any], Any]:
    array = np.ones(3)

    def change(n: Any) -> Any:
        nonlocal array
        array += n
        if n > 1:
            array *= 2
        return array * 1

    return change


CHANGES = [_around()]
FUNCTIONS = [
    of_a_global, of_a_global_view, a_constant_in_a_branch, of_an_attribute, of_a_view_in_an_attribute,
    in_a_list_of_an_attribute, by_a_function_of_numpy, in_an_early_return, of_a_default, of_a_variable_around,
]  # fmt: skip


def results(function: Callable[..., Any], make: Callable[[Any], Callable[..., Any]]) -> list[Any]:
    """What calls give, and what the arrays hold after each."""
    GLOBAL[:] = 0
    CHANGES[0] = _around()
    box = Box()
    call = make(lambda n: function(box, n))
    found = []
    for n in (1, 2, 1, 3, 2):
        found.append((as_python(call(n)), GLOBAL.copy(), box.array.copy(), box.view.copy()))
    assert box.array is box.other is box.held[0]
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_runs_change_arrays_outside_as_python_does(function: Callable[..., Any]) -> None:
    expected = results(function, lambda call: call)

    def staged(call: Any) -> Any:
        traced = tf.function(call)
        return lambda n: traced(tf.constant(n))

    assert_same(results(function, staged), expected)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_traced_functions_that_others_call_change_them_too(function: Callable[..., Any]) -> None:
    def twice(call: Any) -> Any:
        def run(n: Any) -> Any:
            call(n)
            return call(n)

        return run

    def staged(call: Any) -> Any:
        inner = tf.function(call)

        @tf.function
        def outer(n: Any) -> Any:
            inner(n)
            return inner(n)

        return lambda n: outer(tf.constant(n))

    assert_same(results(function, staged), results(function, twice))


def test_another_array_in_a_global_is_the_one_that_is_changed() -> None:
    f = made("counts = np.zeros(2)\ndef f(n):\n    counts[0] += n\n    return counts[0] * 1\n")
    namespace = f.__globals__
    first, traced = namespace["counts"], tf.function(f)
    assert float(traced(tf.constant(2.0, tf.float64))) == 2
    namespace["counts"] = second = np.ones(2)
    assert float(traced(tf.constant(2.0, tf.float64))) == 3
    assert first.tolist() == [2, 0] and second.tolist() == [3, 1]


def test_another_array_in_an_attribute_is_the_one_that_is_changed() -> None:
    box = Box()

    @tf.function
    def f(n: Any) -> Any:
        box.array[0] = n
        return box.array.sum()

    del box.other, box.view, box.held
    f(tf.constant(2.0, tf.float64))
    first, second = box.array, np.zeros((2, 3))
    box.array = second
    assert float(f(tf.constant(4.0, tf.float64))) == 12
    assert first[0].tolist() == [2, 2, 2] and second[0].tolist() == [4, 4, 4]


class Counter(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.counts = np.zeros(3)

    @tf.function(input_signature=[tf.TensorSpec((), tf.int32)])
    def add(self, place: Any) -> Any:
        self.counts[place] += 1
        return self.counts * 1


def test_a_saved_model_keeps_them_as_state(tmp_path: Path) -> None:
    counter = Counter()
    counter.add(tf.constant(1))
    tf.saved_model.save(counter, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.add(tf.constant(1)).numpy().tolist() == [0, 2, 0]
    assert loaded.add(tf.constant(2)).numpy().tolist() == [0, 2, 1]
    assert counter.counts.tolist() == [0, 1, 0]


def test_a_trace_leaves_no_forms_of_arrays_behind() -> None:
    results(of_a_global, lambda call: tf.function(lambda n: call(tf.constant(n))))
    assert not heap.open_forms
