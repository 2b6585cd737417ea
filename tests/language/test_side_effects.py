"""L13–L16, L27 and S13: state outside the function, errors, order of effects."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

import autograph as tf

from .support import check

COUNTER = 0


class Accumulator:
    def __init__(self):
        self.total = 0
        self.history = {}

    def add(self, x):
        self.total = self.total + x


def test_attributes_in_branches_and_loops():
    def f(xs):
        acc = Accumulator()
        for x in xs:
            if x > 1:
                acc.total += x
        return acc.total

    check(f, np.array([1, 2, 3]))


def test_attributes_written_by_a_helper():
    def f(xs):
        acc = Accumulator()
        for x in xs:
            acc.add(x)
        return acc.total

    check(f, np.array([1, 2, 3]))


def test_items_and_nonlocal_and_global():
    def f(xs):
        global COUNTER
        COUNTER = 0
        table = {"sum": 0}
        n = 0

        def bump():
            nonlocal n
            n += 1

        for x in xs:
            if x > 1:
                table["sum"] += x
                bump()
                COUNTER += 1
        result = COUNTER
        COUNTER = 0
        return table["sum"], n, result

    check(f, np.array([1, 2, 3]))


def test_no_symbolic_tensor_stays_behind():
    acc = Accumulator()

    @tf.function
    def f(x):
        if x > 0:
            acc.total = x
        return x

    f(tf.constant(3))
    assert not isinstance(acc.total, tf.Tensor) or acc.total.numpy() == 3
    f(tf.constant(-3))
    assert int(acc.total) == 3
    f(tf.constant(7))
    assert int(acc.total) == 7


@pytest.mark.parametrize("kind", ["set", "file", "deque"])
def test_mutations_that_cannot_be_carried_are_refused(kind):
    import collections

    target = {"set": set(), "file": io.StringIO(), "deque": collections.deque()}[kind]

    @tf.function
    def f(x):
        if x > 0:
            if kind == "set":
                target.add(1)
            elif kind == "file":
                target.write("a")
            else:
                target.append(1)
        return x

    with pytest.raises(tf.errors.MutationError, match=r"add|write|append") as caught:
        f(tf.constant(1))
    assert "test_side_effects.py" in str(caught.value)
    assert not target if kind != "file" else target.getvalue() == ""


def test_raise_only_when_taken():
    @tf.function
    def f(x):
        if x < 0:
            raise ValueError("negative input")
        return x + 1

    assert f(tf.constant(1)).numpy() == 2
    with pytest.raises(ValueError, match="negative input"):
        f(tf.constant(-1))


def test_raise_in_a_loop():
    @tf.function
    def f(xs):
        for x in xs:
            if x == 3:
                raise KeyError("three")
        return 0

    assert f(tf.constant([1, 2])).numpy() == 0
    with pytest.raises(KeyError, match="three"):
        f(tf.constant([1, 3]))


def test_raise_of_a_function_that_a_finally_would_see_is_refused():
    def check_sign(x):
        if x < 0:
            raise ValueError("negative")

    @tf.function
    def f(x):
        try:
            check_sign(x)
        finally:
            x = x * 0
        return x

    with pytest.raises(tf.errors.StagingError, match="try"):
        f(tf.constant(-1))


def test_assert_with_its_message_in_order(capsys):
    @tf.function
    def f(x):
        tf.print("before")
        assert x > 0, f"x is {x}"
        tf.print("after")
        return x

    f(tf.constant(1))
    with pytest.raises(AssertionError, match="x is -1"):
        f(tf.constant(-1))
    printed = capsys.readouterr()
    assert (printed.out + printed.err).split() == ["before", "after", "before"]


def test_effects_in_branches_keep_order(capsys):
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i % 2 == 0:
                tf.print("even", i)
            else:
                tf.print("odd", i)
        tf.print("done")

    f(tf.constant(3))
    printed = capsys.readouterr()
    assert (printed.out + printed.err).splitlines() == ["even 0", "odd 1", "even 2", "done"]


def test_long_unrolled_loops_warn_with_the_line():
    @tf.function
    def f(x):
        for _ in range(5000):
            x = x + 1
        return x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert f(tf.constant(0)).numpy() == 5000
    messages = [str(w.message) for w in caught]
    assert any("test_side_effects.py" in m and "unroll" in m for m in messages), messages


def test_python_print_at_trace_time(capsys):
    @tf.function
    def f(x):
        print("Traced with", x)
        tf.print("Executed with", x)

    f(1)
    f(1)
    f(2)
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    assert sorted(lines) == sorted(
        ["Traced with 1", "Executed with 1", "Executed with 1", "Traced with 2", "Executed with 2"]
    )


def test_a_run_that_raises_leaves_python_objects_as_they_were():  # as README says; variables are changed in order
    state, variable = {"n": 0}, tf.Variable(0)

    @tf.function
    def positive(x):
        state["n"] = x
        variable.assign(x)
        if x < 0:
            raise ValueError("negative")

    positive(tf.constant(3))
    with pytest.raises(ValueError, match="negative"):
        positive(tf.constant(-1))
    assert (int(state["n"]), int(variable)) == (3, -1)
