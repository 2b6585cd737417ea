"""Lists and arrays of tensors as machine code: the same as the plan gives."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.errors import OutOfRangeError
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.region import Region
from tests.programs.profile import examples
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import at_once as at_once
from tests.runtime.engines.native.common import needs_llvm, same
from tests.runtime.engines.native.ops.test_control import check, region

pytestmark = needs_llvm


def test_an_array_written_in_a_loop() -> None:
    def f(x, n):
        found = tf.TensorArray(tf.float32, size=6, element_shape=(3,))
        for i in tf.range(n):
            found = found.write(i, x * tf.cast(i, tf.float32))
        return found.stack(), found.read(2) + 1.0

    for n in (0, 3, 6):
        check(f, np.arange(3, dtype=np.float32), np.array(n, np.int32))


def test_elements_that_nobody_wrote_are_zeros_in_each_turn() -> None:
    def f(x):
        total = tf.zeros((4, 3), tf.float64)
        for i in tf.range(3):
            found = tf.TensorArray(tf.float64, size=4, element_shape=(3,))
            found = found.write(i, x + tf.cast(i, tf.float64))
            total += found.stack()
        return total

    check(f, np.arange(3.0))


def test_an_array_that_grows() -> None:
    def f(x):
        total = tf.zeros((8, 2), tf.float64)
        for i in tf.range(3):
            found = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=(2,))
            for j in tf.range(i + 2):
                found = found.write(j * 2, x + tf.cast(j, tf.float64))
            found = found.write(7, x)
            total += tf.ensure_shape(found.stack(), (8, 2))
        return total

    x = np.arange(2.0)
    found = Region(tf.function(f).get_concrete_function(x).optimized_graph, NATIVE)
    same(Plan(found.graph).run(x)[0], found.run(x)[0])


def test_numbers_pushed_and_popped() -> None:
    def f(n):
        stack = [n]
        total = n * 0
        while len(stack) > 0:
            x = stack.pop()
            total += x
            if x > 1:
                stack.append(x // 2)
                stack.append(x - x // 2 - 1)
        return total

    for n in (0, 1, 5, 1000):
        check(f, np.array(n))


def test_lists_in_branches() -> None:
    def f(x, flag):
        items = [x, x + 1.0]
        if flag:
            items.append(x * 2.0)
        else:
            items.append(x * 3.0)
            items[0] = x - 1.0
        return items[0] + items[2]

    for flag in (True, False):
        check(f, np.arange(70.0), np.array(flag))


def test_reading_from_the_end_and_booleans() -> None:
    def f(x, n):
        marks = [x[0] > 0]
        for i in tf.range(n):
            marks.append(x[i] > 0)
            marks[-1] = not marks[-2]
        count = 0
        for i in tf.range(len(marks)):
            if marks[i]:
                count += 1
        return count, len(marks)

    check(f, np.array([1, -1, 1, 1]), np.array(4))


def test_errors_have_the_users_line() -> None:
    def f(x, n):
        items = [x]
        for i in tf.range(n):
            items.append(x + 1)
        return items[5]  # here

    found = region(f, np.array(1), np.array(7))
    assert found.run(np.array(1), np.array(7))[0] == 2
    with pytest.raises(IndexError) as caught:
        found.run(np.array(1), np.array(2))
    assert traceback.extract_tb(caught.tb)[-1].lineno == f.__code__.co_firstlineno + 4

    def g(x, n):
        items = tf.TensorArray(tf.int64, size=3, element_shape=())
        for i in tf.range(n):
            items = items.write(i, x)  # here
        return items.stack()

    found = region(g, np.array(1), np.array(2))
    with pytest.raises(OutOfRangeError) as caught:
        found.run(np.array(1), np.array(4))
    assert traceback.extract_tb(caught.tb)[-1].lineno == g.__code__.co_firstlineno + 3


def test_the_gradient_of_a_loop_over_an_array() -> None:
    def f(x, w, n):
        with tf.GradientTape() as tape:
            tape.watch(w)
            found = tf.TensorArray(tf.float64, size=4, element_shape=(3,))
            state = x
            for i in tf.range(n):
                state = tf.tanh(tf.linalg.matvec(w, state))
                found = found.write(i, state)
            loss = tf.reduce_sum(found.stack() ** 2)
        return tape.gradient(loss, w)

    random = np.random.default_rng(0)
    x, w = random.normal(size=3), random.normal(size=(3, 3))
    for n in (0, 3):
        check(f, x, w, np.array(n, np.int32), ulps=1 << 20)


@pytest.mark.usefixtures("at_once")
def test_what_hands_over_a_list_stays_in_the_plan() -> None:
    @tf.function
    def f(n, name):
        items = [n]
        for i in tf.range(3):
            items.append(n * i)
        total = 0
        for i in tf.range(5):
            total += i * n
        return tf.stack(items), total, name + "!"

    items, total, name = f(tf.constant(2), tf.constant("a"))
    assert items.numpy().tolist() == [2, 0, 2, 4] and (int(total), name.numpy()) == (20, b"a!")
    text = f.get_concrete_function(tf.constant(2), tf.constant("a")).compiled
    assert text.count("are machine code") == 1


@pytest.mark.usefixtures("at_once")
def test_what_is_refused_leaves_the_rest_as_machine_code() -> None:
    @tf.function
    def f(n):
        items = [n]
        for i in tf.range(n):
            items.append(n**i)
        total = 0
        for i in tf.range(5):
            total += i * n
        return tf.stack(items), total

    items, total = f(tf.constant(3))
    assert items.numpy().tolist() == [3, 1, 3, 9] and int(total) == 30
    text = f.get_concrete_function(tf.constant(3)).compiled
    assert "power of integers" in text and "are machine code" in text


def test_memory_is_freed() -> None:
    resource = pytest.importorskip("resource")

    def f(x, n):
        items = [x]
        for i in tf.range(n):
            items.append(x * 2.0)
        assert items[3][0] < 2.0
        return items[2]

    found = region(f, np.zeros(1000), np.array(5000, np.int32))
    for start in (0.0, 1.0):
        arguments = np.full(1000, start), np.array(5000, np.int32)
        if start:
            with pytest.raises(AssertionError):
                found.run(*arguments)
        else:
            found.run(*arguments)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(10):
            with suppress(AssertionError):
                found._entry(*arguments)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


def test_what_an_earlier_call_has_written_is_not_seen() -> None:
    def f(x, n):
        fixed = tf.TensorArray(tf.float64, size=4, element_shape=(3,))
        growing = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=(3,))
        for i in tf.range(n):
            fixed = fixed.write(i, x)
            growing = growing.write(i, x)
        growing = growing.write(3, x)
        return fixed.stack(), growing.read(0), growing.read(2), growing.read(3)

    found = region(f, np.zeros(3), np.array(4, np.int32))
    for n, start in ((4, 7.0), (1, 1.0), (0, 2.0), (4, 3.0)):
        arguments = np.full(3, start), np.array(n, np.int32)
        for expected, got in zip(found.plan.run(*arguments), found.run(*arguments), strict=True):
            same(expected, got)
    assert found.is_compiled and not found.failures


@pytest.mark.skipif(guards.EVERYWHERE, reason="guarded code has lists of its own in each call")
def test_memory_of_lists_is_kept_unless_they_were_large() -> None:
    def f(x, n):
        items = [x]
        for _ in tf.range(n):
            items.append(x)
        return items[-1]

    found = region(f, np.zeros(1000), np.array(5, np.int32))
    sizes = []
    for n in (5, 10_000, 20):
        found.run(np.zeros(1000), np.array(n, np.int32))
        sizes.append(found._entry.__module__.cache[3])  # the object that owns the memory
    assert 6 * 8000 <= sizes[0] < 2**25 and sizes[1] == 0 and sizes[2] >= 21 * 8000


PIECES = (
    "a.append(x * i)", "a.append(a[-1] + x)", "x = a.pop() + x", "a[i % 2] = x - 1", "x = a[i % 2] * 2 % 101",
    "b = b.write(i % 4, x)", "x = b.read(i % 4) + 1", "x = x + len(a)", "x = x % 97",
)  # fmt: skip


@examples(15)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.booleans()), min_size=2, max_size=8), st.integers(0, 6))
def test_random_programs(pieces: Any, turns: int) -> None:
    lines = ["def f(x, n):", "    a = [x, x + 1]", "    b = tf.TensorArray(tf.int64, size=4, element_shape=())",
             "    for i in tf.range(n):"]  # fmt: skip
    for text, guarded in pieces:
        lines += ["        if x % 2 == 0:", f"            {text}"] if guarded else [f"        {text}"]
    lines += ["    return x, b.stack(), len(a)"]
    name = f"<native lists {hash(tuple(lines))}>"
    linecache.cache[name] = (1, None, [line + "\n" for line in lines], name)
    namespace: dict[str, Any] = {"tf": tf}
    exec(compile("\n".join(lines), name, "exec"), namespace)
    x, n = np.array(3), np.array(turns)
    found = Region(tf.function(namespace["f"]).get_concrete_function(x, n).optimized_graph, NATIVE)
    found._budget[0] = 0
    try:
        expected = Plan(found.graph).run(x, n)
    except (IndexError, OutOfRangeError) as error:
        with pytest.raises(type(error)):
            found.run(x, n)
        return
    for a, b in zip(expected, found.run(x, n), strict=True):
        same(a, b)


# Arrays with a length


def multiples(x, n):
    items = []
    for i in tf.range(n):
        items.append(x * tf.cast(i, tf.float64))
    return tf.stack(items), tf.reduce_sum(x)


def some(x, n):
    places, signs = [], []
    for i in tf.range(n):
        if i % 3 == 1:
            places.append(i)
        signs.append(x[0] > tf.cast(i, tf.float64))
    return tf.stack(places), tf.stack(signs)


def written(x, n):
    array = tf.TensorArray(tf.float64, size=n)
    for i in tf.range(n // 2):
        array = array.write(2 * i, x)
    return array.stack()


@pytest.mark.parametrize("function", [multiples, some, written])
def test_a_list_is_stacked_whose_length_depends_on_values(function: Callable[..., Any]) -> None:
    spec = tf.TensorSpec([3], tf.float64), tf.TensorSpec([], tf.int32)
    found = Region(tf.function(function).get_concrete_function(*spec).optimized_graph, NATIVE, demanded=True)
    for n in (7, 4, 4, 100):
        arguments = np.array([4.0, 2.0, 1.0]), np.array(n, np.int32)
        for expected, got in zip(found.plan.run(*arguments), found.run(*arguments), strict=True):
            same(expected, got)
            assert got.flags.writeable
    assert found.is_compiled and not found.failures


def test_a_stack_of_nothing() -> None:
    spec = tf.TensorSpec([3], tf.float64), tf.TensorSpec([], tf.int32)
    found = Region(tf.function(multiples).get_concrete_function(*spec).optimized_graph, NATIVE, demanded=True)
    arguments = np.ones(3), np.array(0, np.int32)
    same(found.plan.run(*arguments)[0], found.run(*arguments)[0])


def test_what_follows_a_stack_is_code_of_its_own(at_once: None) -> None:
    @tf.function
    def f(x, n):
        items = []
        for i in tf.range(n):
            items.append(tf.sin(x) * tf.cast(i, tf.float64))
        rows = tf.stack(items)
        for _ in tf.range(3):
            rows = rows + tf.reduce_mean(rows, 0)
        return tf.reduce_sum(rows, 0)

    x = np.arange(3.0)
    for n in (5, 5, 8, 8):
        expected = sum(np.sin(x) * i for i in range(n)) * 8
        np.testing.assert_allclose(f(x, tf.constant(n)).numpy(), expected)
    lines = f.get_concrete_function(x, tf.constant(5)).compiled.splitlines()
    assert sum(line.endswith("are machine code") for line in lines) == 2


def test_a_list_that_is_used_after_its_stack_stays_with_the_plan() -> None:
    def f(x, n):
        items = [x]
        for _ in tf.range(n):
            items.append(x)
        first = tf.stack(items)
        items[1] = x * 2.0
        return first, tf.stack(items)

    concrete = tf.function(f).get_concrete_function(np.ones(2), np.array(3, np.int32))
    found = Region(concrete.optimized_graph, NATIVE)
    found._budget[0] = 0
    for expected, got in zip(found.plan.run(np.ones(2), np.int32(3)), found.run(np.ones(2), np.int32(3)), strict=True):
        same(expected, got)


@pytest.mark.skipif(guards.EVERYWHERE, reason="guarded code gives only one of its two results away")
def test_stacks_are_freed() -> None:
    resource = pytest.importorskip("resource")
    spec = tf.TensorSpec([1000], tf.float64), tf.TensorSpec([], tf.int32)
    found = Region(tf.function(multiples).get_concrete_function(*spec).optimized_graph, NATIVE, demanded=True)
    arguments = np.ones(1000), np.array(1000, np.int32)
    found.run(*arguments)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        found.run(*arguments)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
