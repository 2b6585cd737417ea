"""Changes of what may be an object that outlives the function, where a staged loop has put others in its place."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MutationError
from autograph.operators.staging.heap import edges

LIST: list[int] = []
ROWS: list[int] = [7]
ARRAY = np.zeros(2)
TABLE = {"a": 1}


def list_in_for(n):
    b = LIST
    for _ in range(n):
        b = []
    b.append(n)
    return n


def list_in_while(n):
    b = LIST
    while n > 2:
        b = []
        n -= 1
    b.insert(0, n)
    return n


def list_of_turns(n):
    b = LIST
    for _ in range(n):
        b = []
        b.append(3)
    b.append(n)
    return b


def one_of_two_outside(n):
    b = LIST
    for _ in range(n):
        b = ROWS
    b[0:0] = [n]
    return n


def changed_in_second_loop(n):
    b = LIST
    for _ in range(n):
        b = []
    for i in range(n):
        b.append(i)
    return b


def through_two_loops(n):
    b = LIST
    for _ in range(n):
        b = []
    c = b
    for _ in range(n):
        c = []
    c.append(n)
    return n


def array(n):
    b = ARRAY
    for _ in range(n):
        b = np.ones(2)
    b[0] = n
    return n


def dictionary(n):
    b = TABLE
    for _ in range(n):
        b = {"a": 5}
    b["a"] = n
    return n


inner = tf.function(list_in_for)


def in_a_traced_function(n):
    return inner(n) + 1


OUTSIDE = [
    list_in_for, list_in_while, list_of_turns, one_of_two_outside, changed_in_second_loop, through_two_loops, array,
    dictionary,
]  # fmt: skip


@pytest.mark.parametrize("function", OUTSIDE, ids=lambda each: each.__name__)
@pytest.mark.parametrize("n", [0, 1])
def test_a_change_that_may_be_lost_is_refused(function, n):
    with pytest.raises(MutationError, match=r"(?s)may be `\w+`, which outlives this function.*Remedy: ") as caught:
        tf.function(function)(tf.constant(n))
    assert caught.value.line is not None
    assert LIST == [] and ROWS == [7] and list(ARRAY) == [0, 0] and TABLE == {"a": 1}


def test_the_error_names_the_line_of_the_change():
    with pytest.raises(MutationError) as caught:
        tf.function(list_in_for)(tf.constant(1))
    assert caught.value.line == list_in_for.__code__.co_firstlineno + 4


def test_so_is_one_in_a_traced_function_that_another_calls():
    with pytest.raises(MutationError, match="one of two objects"):
        tf.function(in_a_traced_function)(tf.constant(1))


MADE = [
    lambda: [3.0], lambda: sorted([3.0]), lambda: np.array([1.0, 2.0]), lambda: np.linspace(0, 1, 2),
    lambda: np.asarray([1.0, 2.0]), lambda: np.zeros(3)[:2], lambda: np.arange(4.0).reshape(2, 2)[0],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MADE)))
@pytest.mark.parametrize("n", [0, 1])
def test_what_the_function_has_made_may_be_changed(number, n):
    make, is_array = MADE[number], number > 1

    def function(n):
        b = make()
        for _ in range(n):
            b = np.ones(2) if is_array else [1.0]
        b[0] = 5.0
        return b[0] + len(b)

    assert tf.function(function)(tf.constant(n)) == function(n)


def test_what_no_loop_has_replaced_may_be_changed_after_it():
    rows = [1]

    def function(n):
        b = rows
        for _ in range(n):
            b = [2]
        return len(b)

    assert tf.function(function)(tf.constant(0)) == 1


class Keep:
    def __init__(self, items: list[int]) -> None:
        self.items = items

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.items.append(8)


KEPT: list[int] = []


def left_by_a_with(n):
    a = []
    b = KEPT
    with Keep(b):
        if n:
            pass
        elif n:
            a, b = [], a
    return a is b


def test_a_refusal_at_the_end_of_a_trace_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "MOST_VISITS", 3)
    with pytest.raises(tf.errors.StagedValueError, match="the same one is asked"):
        tf.function(left_by_a_with)(tf.constant(0))
    assert KEPT == []
    assert edges.known_objects() == []
