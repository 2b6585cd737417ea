"""Variables in XLA programs: read before, put back at once at the end, and kept where the program has put them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.engines.xla import entry


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(settings, "engine", "xla")
    yield


def test_all_ways_to_change_one() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3)

    @tf.function
    def f(x: Any) -> Any:
        for i in tf.range(3):
            if w % 2 == 1:
                v.assign_add(x)
            else:
                v[1].assign(tf.cast(i, tf.float32))
            w.assign(w * 3 + 1)
        v.assign_sub([1.0, 1.0])
        return v * 2.0, w

    found = f(tf.constant([10.0, 20.0]))
    assert "XLA" in f.get_concrete_function(tf.constant([10.0, 20.0])).compiled
    assert [each.numpy().tolist() for each in found] == [[40.0, 40.0], 94]
    assert v.numpy().tolist() == [20.0, 20.0] and w.numpy() == 94


def test_what_they_hold_is_not_copied_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    v = tf.Variable(tf.zeros([1000]))
    step = tf.function(lambda x: v.assign_add(x))
    given: list[Any] = []
    original = entry.original
    monkeypatch.setattr(entry, "original", lambda x: given.append(original(x)) or given[-1])
    for _ in range(3):
        step(tf.ones([1000]))
    assert v.numpy().tolist() == [3.0] * 1000
    assert sum(type(each) is not np.ndarray for each in given) == 2  # in the second call and in the third


def test_what_a_result_was_stays() -> None:
    v = tf.Variable([1.0])

    @tf.function
    def f() -> Any:
        before = v + 0.0
        v.assign([5.0])
        return before, v.read_value()

    before, after = f()
    v.assign([7.0])
    f()
    assert (before.numpy(), after.numpy()) == ([1.0], [5.0])


def test_a_variable_of_another_shape_is_another_program() -> None:
    v = tf.Variable([1.0], shape=[None])
    f = tf.function(lambda: v * 2.0)
    assert f().numpy().tolist() == [2.0]
    v.assign([1.0, 2.0])
    assert f().numpy().tolist() == [2.0, 4.0]


def test_no_step_of_any_thread_is_lost() -> None:
    v = tf.Variable(0)

    @tf.function
    def count() -> Any:
        v.assign_add(1)

    count()
    threads = [threading.Thread(target=lambda: [count() for _ in range(50)]) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert v.numpy() == 201


def test_a_loop_may_wait_for_another_thread() -> None:
    go, seen = tf.Variable(False), tf.Variable(0)

    @tf.function
    def wait() -> Any:
        n = 0
        while not go:
            n += 1
        seen.assign(n)
        return n

    thread = threading.Timer(0.5, lambda: go.assign(True))
    thread.start()
    wait()
    thread.join()
    assert "XLA" in wait.get_concrete_function().compiled
