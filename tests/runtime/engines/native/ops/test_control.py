"""Loops, branches, stores and errors as machine code: the same as the plan gives, or raises."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import OutOfRangeError
from autograph.runtime.base.dtypes import float64
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.native.emit.lowering import Lowering
from autograph.runtime.engines.native.foreign import cpython
from autograph.runtime.engines.native.run import entry
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.graph import Type
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import needs_llvm, same

pytestmark = needs_llvm


def region(function: Callable[..., Any], *arguments: Any) -> Region:
    concrete = tf.function(function).get_concrete_function(*arguments)
    return Region(concrete.optimized_graph, NATIVE, demanded=True)


def check(function: Callable[..., Any], *arguments: Any, ulps: int = 0) -> None:
    """The code gives what the plan gives, twice, and leaves its arguments alone."""
    found = region(function, *arguments)
    before = [np.copy(argument) for argument in arguments]
    for _ in range(2):
        for expected, got in zip(Plan(found.graph).run(*arguments), found.run(*arguments), strict=True):
            same(expected, got, ulps)
        for argument, old in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(argument, old)
    assert found.is_compiled and not found.failures


def test_scalars_in_a_loop_with_branches() -> None:
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    check(collatz, np.array(97))
    check(collatz, np.array(1))


def test_scalars_that_are_in_memory_before_a_loop() -> None:
    def f(x, n):
        first, last, i = tf.argmin(x), tf.argmax(x), 0
        while i < n:
            first, last, i = last, (first * 3 + last) % 7, i + 1
        return first, last

    check(f, np.array([3.0, 1.0, 2.0, 9.0]), np.array(3))


def test_arrays_as_state() -> None:
    def f(x, n):
        y = x * 2
        for i in tf.range(n):
            x, y = y + x[::-1], x - tf.cast(i, tf.float32)
        return x, y

    for n in (0, 1, 5):
        check(f, np.arange(5, dtype=np.float32), np.array(n, np.int32))


def test_arrays_swap_places() -> None:
    def f(x, y, n):
        for _ in tf.range(n):
            x, y = y, x
        return x, y

    check(f, np.arange(100.0), -np.arange(100.0), np.array(3, np.int32))
    check(f, np.arange(3.0), -np.arange(3.0), np.array(4, np.int32))


@pytest.mark.parametrize("n", [1, 7, 70])
def test_stores_in_loops(n: int) -> None:
    def sieve(x):
        n = x.shape[0]
        for i in tf.range(n):
            if x[i] > 0:
                j = i + 1
                while j < n:
                    x[j] = x[j] - x[i] * 2
                    j += 2
        return x, x[0]

    check(sieve, np.arange(n) - n // 2)


def test_bubble_sort() -> None:
    def sort(x):
        for i in tf.range(x.shape[0]):
            for j in tf.range(x.shape[0] - 1 - i):
                if x[j] > x[j + 1]:
                    x[j], x[j + 1] = x[j + 1], x[j]
        return x

    check(sort, np.random.default_rng(0).permutation(40))


def test_a_stored_array_that_is_needed_afterwards_stays() -> None:
    def f(x):
        y = x * 2
        z = y
        for i in tf.range(3):
            y[i] = -1.0
            z = z + y
        w = y
        y[0] = 100.0
        return x, y, z, w

    check(f, np.arange(80.0))


def test_branches_with_arrays() -> None:
    def f(x, flag):
        y = x + 1
        if flag:
            x = x * y
            y = y[::-1]
        else:
            y = y - x
        return x, y

    for flag in (True, False):
        check(f, np.arange(70.0), np.array(flag))


def test_stores_in_a_loop_copy_nothing() -> None:
    def f(x):
        y = x * 2
        for i in tf.range(x.shape[0]):
            y[i] = y[i] + 1
        return y

    x = np.arange(500.0)
    lowering = Lowering(region(f, x).graph, [Type(tf.float64, (500,))])
    lowering.lower()
    assert len(lowering.e.functions) == 2  # the product at the start, and the result
    check(f, x)


def test_an_array_that_a_loop_has_twice_changes_once() -> None:
    def f(x, n):
        y = x * 2
        z = y
        for i in tf.range(n):
            y[i] = y[i] + z[0] + 1
        return y

    check(f, np.arange(70.0), np.array(5, np.int32))


def test_views_of_what_changes() -> None:
    def f(x, n):
        total = tf.zeros((4,))
        for i in tf.range(n):
            row = x[i]
            x[i] = row + total
            x[(i + 1) % 4] = tf.reverse(row, [0])
            total += x[:, 0]
        return x, total, tf.transpose(x)

    check(f, np.arange(16, dtype=np.float32).reshape(4, 4), np.array(4, np.int32))


def test_reductions_and_products_in_loops() -> None:
    def f(x, n):
        for _ in tf.range(n):
            x = tf.nn.relu(x @ x) / (tf.reduce_max(tf.abs(x), axis=1, keepdims=True) + 1.0)
            x = x - tf.reduce_mean(x)
        return x, tf.argmax(x, axis=0), tf.reduce_sum(x, axis=0)

    check(f, np.random.default_rng(1).normal(size=(12, 12)), np.array(3, np.int32), ulps=1 << 24)


def test_breaks_and_early_returns() -> None:
    def f(x, limit):
        total = 0
        for i in tf.range(x.shape[0]):
            if x[i] < 0:
                continue
            if total > limit:
                break
            total += x[i]
        else:
            total = -total
        return total

    for limit in (0, 5, 1000):
        check(f, np.array([3, -1, 4, -1, 5, 9]), np.array(limit))


def test_gathers_and_scatters() -> None:
    def f(x, places):
        y = x[places]
        x[places] = tf.zeros_like(y)
        return y, x, tf.gather(x, tf.abs(places), axis=0)

    check(f, np.arange(12.0).reshape(4, 3), np.array([2, -1, 0]))


def test_many_shapes_have_code_of_their_own() -> None:
    concrete = tf.function(lambda x: x * 2 + tf.reduce_sum(x)).get_concrete_function(tf.TensorSpec([None], tf.float64))
    found = Region(concrete.optimized_graph, NATIVE, demanded=True)
    for n in (3, 4, 0, 3, 100, *range(20)):
        x = np.arange(n, dtype=np.float64)
        same(x * 2 + x.sum(), found.run(x)[0])
    assert found.is_compiled


@pytest.mark.parametrize("array", [np.arange(20.0)[::2], np.arange(20.0).astype(">f8")[:10], np.arange(10)])
def test_arguments_that_lie_otherwise(array: np.ndarray) -> None:
    found = region(lambda x: x + 1, np.arange(10.0))
    same(np.asarray(array, np.float64) + 1, found.run(array)[0])


# Errors


def line_of(error: BaseException) -> int:
    traceback = error.__traceback__
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    assert traceback.tb_frame.f_code.co_filename == __file__
    return traceback.tb_lineno


def test_an_index_outside_raises_at_the_users_line() -> None:
    def f(x, n):
        total = 0.0
        for i in tf.range(n):
            total += x[i]  # here
        return total

    found = region(f, np.arange(3.0), np.array(3))
    assert found.run(np.arange(3.0), np.array(3))[0] == 3
    with pytest.raises(OutOfRangeError) as caught:
        found.run(np.arange(3.0), np.array(4))
    assert line_of(caught.value) == f.__code__.co_firstlineno + 3
    assert found.failures == 1


def test_an_assertion_and_a_raise() -> None:
    def f(x):
        total = 0
        for i in tf.range(10):
            total += x
            assert total < 50, total
            if total < -50:
                raise KeyError("small")
        return total

    found = region(f, np.array(1))
    assert found.run(np.array(1))[0] == 10
    with pytest.raises(AssertionError, match="54") as caught:
        found.run(np.array(6))
    assert line_of(caught.value) == f.__code__.co_firstlineno + 4
    with pytest.raises(KeyError, match="small") as caught:
        found.run(np.array(-6))
    assert line_of(caught.value) == f.__code__.co_firstlineno + 6


def test_a_loop_whose_body_always_raises() -> None:
    def f(x):
        while x > 0:
            raise KeyError("positive")
        return x

    found = region(f, np.array(0))
    assert found.run(np.array(-1))[0] == -1
    with pytest.raises(KeyError, match="positive"):
        found.run(np.array(1))


def test_a_branch_that_always_raises() -> None:
    def f(x):
        if x > 5:
            if x > 7:
                raise KeyError("large")
            raise ValueError("not small")
        return x * 2

    found = region(f, np.array(0))
    assert found.run(np.array(2))[0] == 4
    with pytest.raises(KeyError, match="large"):
        found.run(np.array(8))
    with pytest.raises(ValueError, match="not small"):
        found.run(np.array(6))


def test_warnings_are_those_of_the_plan() -> None:
    def f(x, y):
        while x > 100:
            x = x // y
        return x // y

    found = region(f, np.array(1000), np.array(3))
    assert found.run(np.array(1000), np.array(3))[0] == 12
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        assert found.run(np.array(7), np.array(0))[0] == 0
    assert [str(each.message) for each in noted] == ["divide by zero encountered in floor_divide"]
    assert noted[0].lineno == f.__code__.co_firstlineno + 3


def test_the_smallest_integer_by_minus_one_does_no_harm() -> None:
    found = region(lambda x, y: (x // y, x % y), np.array(1), np.array(1))
    lowest = np.array(np.iinfo(np.int64).min)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quotient, rest = found.run(lowest, np.array(-1))
    assert quotient == lowest and rest == 0


# Running


def test_a_loop_without_end_can_be_interrupted() -> None:
    def f(x):
        while x > 0:
            x = x + 1 if x < 5 else x - 1
        return x

    found = region(f, np.array(0))
    found.run(np.array(0))
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        found.run(np.array(1))
    assert found.run(np.array(-1))[0] == -1


def test_a_long_loop_uses_no_more_memory() -> None:
    resource = pytest.importorskip("resource")

    def f(n):
        x = tf.zeros((64,))
        for _ in tf.range(n):
            x = x * 0.5 + x[::-1]
        return x

    found = region(f, np.array(10))
    found.run(np.array(10))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found.run(np.array(1_000_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096


def test_several_threads_share_code() -> None:
    def f(x):
        for _ in tf.range(20):
            x = tf.reverse(x, [0]) + 1.0
        return x

    found, wrong = region(f, np.arange(5000.0)), []

    def work(start: int) -> None:
        x = np.arange(5000.0) + start
        for _ in range(50):
            if not (found.run(x)[0] == x + 20).all():
                wrong.append(start)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and time is not None


def test_the_work_of_a_test_is_part_of_a_turn() -> None:
    """Else a loop whose test is long looks for Ctrl-C only after so many turns."""

    def f(x):
        n = 0
        while tf.reduce_sum(x * tf.cast(n, tf.float64)) < 1000.0:
            n += 1
        return n

    x = np.ones(12_345)
    lowering = Lowering(region(f, x).graph, [Type(float64, x.shape)])
    assert lowering.lower()
    polled = [line for line in lowering.e.lines if "add i64 " in line and int(line.rpartition(" ")[2]) >= x.size]
    assert len(polled) == 1


@pytest.mark.skipif(guards.EVERYWHERE, reason="code is called in another way")
def test_code_is_freed_with_its_function() -> None:
    import gc
    import weakref

    found = region(lambda x: x * 2, np.arange(3.0))
    found.run(np.arange(3.0))
    owner = weakref.ref(found._entry.__module__)
    del found
    gc.collect()
    assert owner() is None


@pytest.mark.skipif(guards.EVERYWHERE, reason="code is called in another way")
def test_functions_do_not_outlive_their_definition() -> None:
    """Collecting garbage may clear their owners first; they look into their definition when they are freed."""
    found = region(lambda x: x * 2, np.arange(3.0))
    found.run(np.arange(3.0))
    function = found._entry
    definition = ctypes.c_void_p.from_address(id(function) + object.__basicsize__).value
    owner = function.__module__
    owner.cycle = function
    assert definition == ctypes.addressof(cpython._definition(entry._entry().address("entry")))
    assert not any(isinstance(each, ctypes.Structure) for each in vars(owner).values())


def test_without_llvmlite_graphs_run_through_the_plan() -> None:
    program = (
        "import sys\nsys.modules['llvmlite'] = None\nimport autograph as tf\nfrom autograph.config import settings\n"
        "settings.native = True\n"
        "@tf.function\ndef f(n):\n    while n < 100:\n        n = n * 2\n    return n\n"
        "exec(compile('', 'f', 'exec'))\nprint(int(tf.function(lambda x: x + 1)(tf.constant(2))))\n"
        "from autograph.runtime.engines import native\nassert not native.is_available()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "3\n", done.stderr


def outcome(run: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            result = [np.asarray(each).tolist() for each in run(*arguments)]
        except Exception as error:
            result = [type(error)]
    return result, [str(each.message) for each in noted]


def unused_items(x, i):
    _unused = x[i]
    return x[0]


def one_item_of_items(x, i):
    return x[i][0]


def unused_items_in_a_loop(x, i):
    total = 0.0
    for j in tf.range(2):
        _unused = x[i + j]
        total += x[j]
    return total


def unused_gather(x, i):
    _unused = tf.gather(x, i)
    return x[0]


def unused_cast(x, i):
    _unused = tf.cast(x * 1e30, tf.int32)
    return x[0]


def unused_gather_of_one(x, i):
    _unused = tf.gather(x, i[1])
    return x[0]


def one_quotient(x, i):
    return ((i + 5) // i)[1]


def unused_quotient(x, i):
    _unused = (i + 5) // i
    return x[0]


@pytest.mark.parametrize("f", [unused_items, one_item_of_items, unused_items_in_a_loop, unused_gather, unused_cast,
                               unused_gather_of_one,
                               one_quotient, unused_quotient])  # fmt: skip
def test_errors_and_warnings_do_not_depend_on_what_is_needed(f: Callable[..., Any]) -> None:
    arguments = np.arange(4.0), np.array([0, 99])
    found = region(f, *arguments)
    expected = outcome(found.plan.run, arguments)
    assert outcome(found.run, arguments) == expected
    assert expected[1] or isinstance(expected[0][0], type)


def test_indices_of_empty_items_are_looked_at() -> None:
    concrete = tf.function(lambda x, i: x[i]).get_concrete_function(np.zeros((4, 0)), np.array([0, 1]))
    found = Region(concrete.optimized_graph, NATIVE)
    found._budget[0] = 0
    with pytest.raises(OutOfRangeError):
        found.run(np.zeros((4, 0)), np.array([0, 99]))


def test_running_sums_that_are_looked_up() -> None:
    """LLVM 22.1 vectorises these straight lines so that elements are read before they are there."""

    def f(c, d):
        b = tf.cumsum(c)[tf.cast(-d, tf.int32) % 5]
        return b, d[c % 5] % (c - b + 1000)

    check(f, np.array([-1, 0, -1, 1, 100], np.int32), np.array([5, 5, 5, 5, 2], np.uint8))


def test_arrays_that_each_turn_makes_anew_change_places() -> None:
    def f(x, y, n):
        for i in tf.range(n):
            old = x
            x = tf.concat([y[:1], x[:-1]], 0)
            if i % 3 == 1:
                y = x[::-1]
            else:
                y = tf.concat([y[-1:], y[:-1]], 0) + old
            for _ in tf.range(i):
                x = tf.concat([x[1:], x[:1]], 0)
                y = tf.transpose(tf.reshape(y, (7, 10)))[:, ::-1]
                y = tf.reshape(y, (70,)) + x
        return x, y

    for n in range(6):
        check(f, np.arange(70.0), np.arange(70.0)[::-1].copy(), np.array(n, np.int32))


def test_a_swap_of_arrays_and_one_that_stays() -> None:
    def f(x, y, n):
        z = x
        for i in tf.range(n):
            x, y = tf.reshape(tf.transpose(tf.reshape(y, (7, 10))), (70,)), x
            if i > 2:
                z = tf.concat([z[1:], x[:1]], 0)
        return x, y, z

    for n in range(6):
        check(f, np.arange(70.0), -np.arange(70.0), np.array(n, np.int32))


def test_an_array_and_a_view_of_another_change_places() -> None:
    def f(x, y, n):
        for _ in tf.range(n):
            x, y = y, x[::-1]
        return x, y

    for n in range(5):
        check(f, np.arange(70.0), -np.arange(70.0), np.array(n, np.int32))


def test_copies_of_arrays_that_each_turn_makes_anew() -> None:
    def f(x, n):
        for _ in tf.range(n):
            x = tf.concat([x[1:], x[:1]], 0)
        return x

    x = np.arange(500.0)
    lowering = Lowering(region(f, x, np.array(3, np.int32)).graph, [Type(tf.float64, (500,)), Type(tf.int32, ())])
    lowering.lower()
    text = "\n".join(lowering.e.lines)
    inside = text[text.index("turn") : text.index("done", text.index("turn") + 200)]
    assert inside.count("call i1 @part") == 1  # the larger part; the other one is a single element
    check(f, x, np.array(3, np.int32))
