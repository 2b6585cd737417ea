"""Recursion that a tensor ends (row L22): a function that calls itself becomes a graph that calls itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .support import check


def factorial(n: Any) -> Any:
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n: Any) -> Any:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n: Any) -> Any:
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n: Any) -> Any:
    if n == 0:
        return False
    return is_even(n - 1)


def ackermann(m: Any, n: Any) -> Any:
    if m == 0:
        return n + 1
    elif n == 0:
        return ackermann(m - 1, 1)
    else:
        return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(n: Any, start: str, goal: str, spare: str) -> Any:
    if n == 0:
        return 0
    return hanoi(n - 1, start, spare, goal) + 1 + hanoi(n - 1, spare, goal, start)


def collatz(n: Any, steps: Any = 0) -> Any:
    if n == 1:
        return steps
    if n % 2 == 0:
        return collatz(n // 2, steps + 1)
    return collatz(3 * n + 1, steps + 1)


def search(values: Any, wanted: Any, low: Any, high: Any) -> Any:
    if low >= high:
        return None
    middle = (low + high) // 2
    if values[middle] == wanted:
        return middle
    if values[middle] < wanted:
        return search(values, wanted, middle + 1, high)
    return search(values, wanted, low, middle)


def quicksort(x: Any) -> Any:
    if len(x) <= 1:
        return x
    pivot = x[0]
    return np.concatenate([quicksort(x[x < pivot]), x[x == pivot], quicksort(x[x > pivot])])


def power(x: Any, n: int) -> Any:
    if n == 0:
        return 1.0
    if x > 100.0:
        return x
    return x * power(x, n - 1)


def halve(x: Any) -> Any:
    if x < 1:
        return 1
    return halve(x / 2) + 0.5


def pair(n: Any) -> Any:
    if n <= 0:
        return {"sum": 0, "values": (1.0, True)}
    rest = pair(n - 1)
    return {"sum": rest["sum"] + n, "values": (rest["values"][0] / 2, not rest["values"][1])}


def in_a_loop(n: Any) -> Any:
    total = 0
    for i in range(n):
        total += in_a_loop(i) + 1
    return total


def short_circuit(n: Any) -> Any:
    return n < 5 and (n == 0 or short_circuit(n - 1))


def two_at_once(n: Any, known: Any = (0, (1, "unused"))) -> Any:
    if n <= 0:
        return known[0]
    return two_at_once(n - 1, (known[1][0], (known[0] + known[1][0], "unused")))


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (two_at_once, [np.int32(0), np.int32(10)]),
        (factorial, [np.int32(5), np.int32(0)]),
        (fibonacci, [np.int32(0), np.int32(10)]),
        (is_even, [np.int32(7), np.int32(10)]),
        (is_odd, [np.int32(7), np.int32(10)]),
        (ackermann, [(np.int32(2), np.int32(3)), (np.int32(0), np.int32(3))]),
        (lambda n: hanoi(n, "a", "b", "c"), [np.int32(5), np.int32(0)]),
        (collatz, [np.int32(27), np.int32(1)]),
        (halve, [np.float64(0.5), np.float64(100.0)]),
        (pair, [np.int32(0), np.int32(5)]),
        (in_a_loop, [np.int32(0), np.int32(6)]),
        (short_circuit, [np.int32(3), np.int32(7)]),
        (lambda x: power(x, 5), [np.float32(1.5), np.float32(200.0)]),
        (quicksort, [np.array([3, 1, 2, 5, 4, 1]), np.array([9, 8, 7, 6, 5, 4])]),
        (
            lambda values, wanted: search(values, wanted, 0, 4),
            [(np.array([1, 3, 5, 7]), np.int64(5)), (np.array([1, 3, 5, 7]), np.int64(4))],
        ),
    ],
)
def test_values(function: Any, inputs: list[Any]) -> None:
    check(function, *inputs)


def test_methods_and_closures() -> None:
    class Tree:
        def __init__(self) -> None:
            self.weight = 2.0

        def grow(self, x: Any, depth: Any) -> Any:
            if depth > 0:
                return self.grow(x * self.weight, depth - 1) + 1
            return x

    check(Tree().grow, (np.float32(1.5), np.int32(3)), (np.float32(1.5), np.int32(0)))

    def outer(x: Any, k: Any) -> Any:
        def inner(n: Any) -> Any:
            if n <= 0:
                return k
            return inner(n - 1) + x

        first = inner(3)
        k = k * 2  # what the closure sees changes between two calls
        return first + inner(x)

    check(outer, (np.int32(3), np.int32(10)), (np.int32(0), np.int32(4)))


def test_two_branches_call_a_closure_over_tensors() -> None:
    def by_number(v: Any, n: Any) -> Any:
        def walk(i: Any) -> Any:
            if i >= n:
                return 0
            if v > 1:
                return v + walk(i + 1)
            return 4 + walk(i + 1)

        return walk(0)

    def by_element(values: Any) -> Any:
        def walk(i: Any) -> Any:
            if i >= len(values):
                return 0
            if values[i] > 1:
                return values[i] + walk(i + 1)
            return walk(i + 1)

        return walk(0)

    check(by_number, (2, 5), (1, 5), (3, 0), (0, 50))
    staged = tf.function(by_element, input_signature=[tf.TensorSpec([None], tf.int32)])
    for values in ([3, 1, 2], [0], [], list(range(60))):
        assert staged(np.array(values, np.int32)).numpy() == sum(each for each in values if each > 1)


def test_effects_keep_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    def countdown(n: Any) -> None:
        if n > 0:
            tf.print("down", n)
            countdown(n - 1)
            tf.print("up", n)

    tf.function(countdown)(tf.constant(2))
    assert capfd.readouterr().err.split("\n") == ["down 2", "down 1", "up 1", "up 2", ""]


def test_variables_are_read_and_written() -> None:
    total = tf.Variable(0)

    @tf.function
    def add_up(n: Any) -> None:
        if n > 0:
            total.assign_add(n)
            add_up(n - 1)

    add_up(tf.constant(4))
    add_up(tf.constant(2))
    assert total.numpy() == 13


def test_a_call_with_other_arguments_is_another_graph() -> None:
    @tf.function
    def depth(x: Any) -> Any:
        if len(x) < 2:
            return 0
        half = len(x) // 2
        return 1 + tf.maximum(depth(x[:half]), depth(x[half:]))

    assert depth(tf.range(10)).numpy() == 4
    assert depth.experimental_get_tracing_count() == 5  # 10 elements, 5, 3, 2 and 1


def test_changes_outside_are_refused() -> None:
    class Counter:
        calls = 0

    counter, found = Counter(), []

    def count(n: Any) -> Any:
        counter.calls += 1
        if counter.calls > 5:
            return 100
        return 0 if n <= 0 else 1 + count(n - 1)

    def collect(n: Any) -> None:
        found.append(1)
        if n > 0:
            collect(n - 1)

    def inside(n: Any) -> Any:
        values = [n]
        values.append(n + 1)
        return values[1] if n <= 0 else inside(n - 1) + values[0]

    with pytest.raises(tf.errors.MutationError, match="`counter.calls` is changed by count"):
        tf.function(count)(tf.constant(9))
    with pytest.raises(tf.errors.MutationError, match="`found`"):
        tf.function(collect)(tf.constant(9))
    assert counter.calls == 0 and found == []
    check(inside, np.int32(3), np.int32(0))


def doubled(n: Any, total: Any) -> Any:
    if n <= 0:
        return total
    return doubled(n - 1, total * 2.0)


def two_to_the(n: Any) -> Any:
    if n <= 0:
        return 1
    return 2 * two_to_the(n - 1)


def by_keywords(n: Any, **keywords: Any) -> Any:
    if n <= 0:
        return keywords["a"], keywords["b"]
    return by_keywords(n - 1, a=keywords["b"] * 2.0, b=keywords["a"])


WEAK: list[Callable[[Any, Any], Any]] = [
    lambda n, x: x * doubled(n, 1.0),
    lambda n, x: x + two_to_the(n),
    lambda n, x: x / two_to_the(n),
    lambda n, x: x - by_keywords(n, a=1.5, b=2.0)[0],
    lambda n, x: x * by_keywords(n, b=0.5, a=3.0)[1],
]


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.int8, tf.int64])
@pytest.mark.parametrize("function", WEAK)
def test_python_numbers_stay_weak_through_recursion(function: Callable[[Any, Any], Any], dtype: Any) -> None:
    for n in (0, 1, 4):
        x = tf.constant(3, dtype)
        result, expected = tf.function(function)(tf.constant(n), x), function(tf.constant(n), x)
        if n or dtype.is_floating:  # where a float may come out, it is one in all cases
            assert result.dtype == expected.dtype
        assert result.numpy() == expected.numpy()


def test_python_numbers_stay_weak_as_arguments_of_an_inner_function() -> None:
    scaled = tf.function(lambda x, by: x * by if isinstance(by, float) else x)

    @tf.function
    def f(n: Any, x: Any) -> Any:
        by = 1.0
        for _ in range(n):
            by = by * 2.0
        return scaled(x, by), scaled(by=by, x=x), scaled(x, tf.constant(2.0, tf.float16))

    one, other, same = f(tf.constant(3), tf.constant(1.5, tf.float16))
    assert one.dtype == other.dtype == same.dtype == tf.float16
    assert (one.numpy(), other.numpy(), same.numpy()) == (12.0, 12.0, 1.5)
    assert scaled.experimental_get_tracing_count() == 2
    assert "a Python float that the graph computes" in scaled.explain()


def test_an_input_signature_makes_a_tensor_of_a_number() -> None:
    inner = tf.function(lambda by: tf.constant(1.5, tf.float16) * by, input_signature=[tf.TensorSpec((), tf.float32)])

    @tf.function
    def f(n: Any) -> Any:
        by = 1.0
        for _ in range(n):
            by = by * 2.0
        return inner(by), inner.get_concrete_function()(by)

    assert [each.dtype for each in f(tf.constant(1))] == [inner(2.0).dtype] * 2 == [tf.float32] * 2


def is_palindrome(text: Any, first: Any, last: Any) -> Any:
    if first >= last:
        return True
    if text[first] != text[last]:
        return False
    return is_palindrome(text, first + 1, last - 1)


def test_indices_that_a_run_does_not_reach() -> None:
    @tf.function
    def f(values: Any, last: Any) -> Any:
        return is_palindrome(values, 0, last), is_palindrome("abcba", 0, last), is_palindrome([3, 1, 3], 0, last - 2)

    assert [bool(each) for each in f(tf.constant([1, 2, 3, 2, 1]), tf.constant(4))] == [True, True, True]
    assert [bool(each) for each in f(tf.constant([1, 2, 3, 2, 2]), tf.constant(4))] == [False, True, True]
    assert [bool(each) for each in f(tf.constant([1, 2, 3, 2, 2]), tf.constant(3))] == [False, False, False]


def test_an_index_that_is_out_of_range_raises() -> None:
    def total(values: Any, i: Any, n: Any) -> Any:
        if i >= n:
            return 0
        return values[i] + total(values, i + 1, n)

    staged = tf.function(lambda values, n: total(values, 0, n))
    assert staged(tf.constant([1, 2, 3]), tf.constant(3)) == 6
    with pytest.raises(IndexError):
        staged(tf.constant([1, 2, 3]), tf.constant(4))
    with pytest.raises(IndexError):
        tf.function(lambda n: total([1, 2, 3], 0, n))(tf.constant(4))


class Node:
    def __init__(self, n: Any) -> None:
        self.n = n

    @property
    def depth(self) -> Any:
        return 0 if self.n <= 0 else 1 + Node(self.n - 1).depth


def digits(n: Any) -> Any:
    return [n] if n < 10 else digits(n // 10) + [n % 10]


def countdown(n: Any) -> Any:
    if n <= 0:
        return []
    return [n] + countdown(n - 1)


def halves(n: Any) -> Any:
    if n <= 0:
        return [1]
    values = halves(n - 1)
    values.append(values[-1] * 0.5)
    return values


def moves(n: Any, a: Any, b: Any, c: Any) -> Any:
    if n <= 0:
        return []
    return moves(n - 1, a, c, b) + [(a, c)] + moves(n - 1, b, a, c)


def names(n: Any) -> Any:
    return [] if n <= 0 else names(n - 1) + [f"w{n}"]


def maybe(n: Any) -> Any:
    if n <= 0:
        return None
    values = maybe(n - 1)
    return [n] if values is None else values + [n]


def total_of_digits(n: Any) -> Any:
    values = digits(n)
    values.append(7)
    total = 0
    for each in values:
        total = total + each
    return total, len(values), values[0], values[-1]


LISTS: list[Callable[[Any], Any]] = [
    digits, countdown, halves, total_of_digits, lambda n: moves(n, 1, 2, 3), lambda n: len(countdown(n)),
]  # fmt: skip


@pytest.mark.parametrize("function", LISTS)
def test_recursion_that_makes_lists(function: Callable[[Any], Any]) -> None:
    check(function, 3, 1, 4, 0)


def test_recursion_that_makes_a_list_or_nothing() -> None:
    staged = tf.function(maybe)
    assert staged(tf.constant(0)) is None
    assert list(staged(tf.constant(3))) == [1, 2, 3]
    assert [each.decode() for each in tf.function(names)(tf.constant(2)).numpy()] == ["w1", "w2"]


def collect(n: Any, found: list[Any]) -> None:
    if n > 0:
        found.append(n)
        collect(n - 1, found)


def into_a_list(n: Any) -> Any:
    found: list[Any] = []
    collect(n, found)
    return found


def always_raises(n: Any) -> Any:
    if n <= 0:
        raise ValueError("the end")
    return always_raises(n - 1)


def test_recursion_that_never_ends_says_why() -> None:
    with pytest.raises(tf.errors.StagedRecursionError, match="each call has another Node as `self`"):
        tf.function(lambda n: Node(n).depth)(tf.constant(2))
    with pytest.raises(tf.errors.StagedRecursionError, match="each call has another list as `found`"):
        tf.function(into_a_list)(tf.constant(2))
    with pytest.raises(tf.errors.StagedRecursionError, match="every way through it that returns calls it again"):
        tf.function(always_raises)(tf.constant(2))


def test_as_deep_as_python_goes() -> None:
    with pytest.raises(RecursionError):
        tf.function(factorial)(tf.constant(10**6))
    assert tf.function(factorial)(tf.constant(5)).numpy() == 120


def test_a_list_from_outside_that_a_recursion_changes_is_refused_at_once() -> None:
    def chosen(items, n):
        return items if n > 1 else items + [n]

    def push(items, n):
        if n <= 0:
            return items
        items.append(n)
        return push(items, n - 1)

    def f(n):
        items = [0]
        if n > 1:
            items = chosen(items, n)
        if n > 2:
            push(items, n)
        return items

    with pytest.raises(tf.errors.MutationError, match="`items` is changed by push.., which calls itself"):
        tf.function(f)(tf.constant(3))
