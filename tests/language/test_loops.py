"""L02, L03, L04, L06, L07, L10, L11, L12: loops over graph tensors."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import autograph as tf

from .support import as_python, assert_same, check

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Moments:
    total: object
    square: object


def test_collatz():
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    check(collatz, 1, 7, 27)


def test_for_over_tensor_range_and_rows():
    def f(xs, n):
        total = 0
        for x in xs:
            total += x
        for i in range(n):
            total += i * 10
        return total

    check(f, (np.array([1, 2, 3]), 4), (np.array([1, 2, 3]), 0))


def test_range_with_start_stop_and_negative_step():
    def f(start, stop, step):
        total = 0
        for i in range(start, stop, step):
            total = total * 3 + i
        return total

    check(f, (0, 10, 3), (10, 0, -4), (5, 5, 1))


def test_enumerate_zip_reversed_map_filter():
    def f(xs, ys):
        total = 0
        for i, x in enumerate(xs):
            total = total * 2 + i * x
        for x, y in zip(xs, ys):
            total += x * y
        for i, (x, y) in enumerate(zip(xs, ys), start=3):
            total += i * (x - y)
        for x in reversed(xs):
            total = total * 2 + x
        for x in map(lambda v: v + 1, xs):
            total += x
        for x in filter(lambda v: v > 1, xs):
            total += 100 * x
        return total

    check(f, (np.array([1, 2, 3]), np.array([4, 5, 6])))


def test_dict_and_list_of_tensors():
    def f(x, y):
        total = 0
        for key, value in {"a": x, "b": y}.items():
            if value > 1:
                total += value * len(key)
        for value in [x, y, 3]:
            if value > 2:
                total += value
        return total

    check(f, (1, 2), (5, 0))


def test_break_continue_and_else():
    def f(xs, limit):
        total = 0
        for x in xs:
            if x < 0:
                continue
            if x > limit:
                break
            total += x
        else:
            total += 1000
        return total

    check(f, (np.array([1, -2, 3]), 5), (np.array([1, 9, 3]), 5))


def test_while_else_and_nested_break():
    def f(n):
        i = 0
        found = 0
        while i < n:
            j = 0
            while j < n:
                if i * j == 12:
                    found = i * 100 + j
                    break
                j += 1
            else:
                i += 1
                continue
            break
        else:
            found = -1
        return found

    check(f, 3, 5, 10)


def test_return_in_a_loop():
    def first_above(xs, limit):
        for i, x in enumerate(xs):
            if x > limit:
                return i
        return -1

    check(first_above, (np.array([1, 5, 9]), 4), (np.array([1, 5, 9]), 40))


def test_return_in_nested_loops_inside_with():
    class Nothing:
        def __enter__(self):
            return self

        def __exit__(self, *exc):
            return False

    def f(n):
        with Nothing():
            for i in range(n):
                for j in range(n):
                    if i * j > 6:
                        return i * 10 + j
        return -1

    check(f, 2, 4, 6)


def test_while_true_with_staged_break():
    def f(x):
        steps = 0
        while True:
            if x > 100:
                break
            x = x * 2
            steps += 1
        return steps, x

    check(f, 1, 3, 500)


def test_python_range_with_staged_break():
    def f(x):
        for i in range(50):
            x = x + i
            if x > 20:
                break
        return x, i

    check(f, 0, 100, -1000)


def test_python_list_with_staged_break():
    def f(x):
        for k in [3, 5, 7]:
            if x % k == 0:
                break
        else:
            k = 0
        return k

    check(f, 9, 10, 14, 11)


def test_loop_variable_after_the_loop():
    def f(xs):
        for x in xs:
            last = x * 2
        return x + last

    check(f, np.array([1, 2, 3]))


def test_variable_first_set_in_a_loop_that_does_not_turn():
    @tf.function
    def f(n):
        for i in tf.range(n):
            last = i
        return last

    assert f(tf.constant(3)).numpy() == 2
    with pytest.raises(UnboundLocalError, match="last"):
        f(tf.constant(0))


def test_dtype_and_shape_change_in_a_loop():
    def mean(xs):
        total = 0
        for x in xs:
            total = total + x / 2
        return total

    check(mean, np.array([1, 2, 4]))

    def grow(n):
        x = np.zeros(1, np.float32)
        while n > 0:
            x = np.concatenate([x, x])
            n -= 1
        return x

    check(grow, 0, 3)


def test_loop_state_of_any_structure():
    def f(xs):
        pair, moments, table = Pair(0, [0, 0]), Moments(0, 0), {"n": 0, "inner": (0, 0)}
        for x in xs:
            pair = Pair(pair.left + x, [pair.right[0] + 1, x])
            moments = Moments(moments.total + x, moments.square + x * x)
            table = {"n": table["n"] + 1, "inner": (x, table["inner"][0])}
        return pair, moments.total, moments.square, table

    check(f, np.array([1, 2, 3]))


def test_list_append_in_a_staged_loop_stacks():
    def f(xs):
        out = []
        for x in xs:
            if x > 1:
                out.append(x * 2)
        return len(out), np.stack(out)

    check(f, np.array([1, 2, 3]), np.array([2, 0, 5]))


def test_list_pop_index_and_len():
    def f(n):
        stack = [n]
        total = 0
        while len(stack) > 0:
            top = stack.pop()
            total += top
            if top > 1:
                stack.append(top // 2)
                stack.append(top // 3)
        return total

    check(f, 1, 10, 25)


def test_index_assignment():
    def f(xs, k):
        ys = xs
        xs = xs.copy() if isinstance(xs, np.ndarray) else xs
        xs[k] = 10
        xs[1:3] += 5
        xs[-1] *= 2
        return xs, ys

    check(f, (np.array([1, 2, 3, 4]), 0), (np.array([1, 2, 3, 4]), 2))


def test_index_assignment_in_a_loop():
    def prefix_sums(xs):
        out = np.zeros(4, np.int64)
        for i in range(len(xs)):
            out[i] = xs[i] + (out[i - 1] if i > 0 else 0)
        return out

    check(prefix_sums, np.array([1, 2, 3, 4]))


def test_sieve_with_nested_loops_and_stores():
    def sieve(n):
        prime = np.ones(60, np.bool_)
        prime[:2] = False
        i = 2
        while i * i < n:
            if prime[i]:
                j = i * i
                while j < n:
                    prime[j] = False
                    j += i
            i += 1
        return prime[:n].sum()

    check(sieve, 30, 50)


def test_comprehensions():
    def f(xs, k):
        squares = [x * x for x in xs]
        big = [x for x in xs if x > k]
        table = {name: x for name, x in zip("ab", [k, k + 1])}
        total = sum(x * 2 for x in xs)
        return np.stack(squares), len(big), table, total, any(x > 2 for x in xs), all(x > 0 for x in xs)

    check(f, (np.array([1, 2, 3]), 1), (np.array([1, 2, 3]), 7))


def test_set_loop_options():
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))], maximum_iterations=3, parallel_iterations=1
            )
            x = tf.concat([x, [1.0]], 0)
        return x

    assert f(tf.constant(2)).numpy().tolist() == [0, 1, 1]
    assert f(tf.constant(9)).numpy().tolist() == [0, 1, 1, 1]


def test_a_loop_in_a_loop_in_a_branch():
    def f(n):
        total = 0
        if n > 2:
            for i in range(n):
                k = i
                while k > 0:
                    if k % 3 == 0:
                        k -= 2
                    else:
                        k -= 1
                    total += 1
        return total

    check(f, 1, 4, 9)


def test_one_trace_serves_all_values():
    count = 0

    @tf.function
    def f(x):
        nonlocal count
        count += 1
        while x < 10:
            x = x * 2
        return x

    assert [f(tf.constant(k)).numpy() for k in (1, 3, 50)] == [16, 12, 50]
    assert count == 1


def test_for_over_a_tensor_of_rows_and_zero_rows():
    def f(rows):
        total = np.zeros(3, np.float32)
        for row in rows:
            total = total + row
        return total

    check(f, np.ones((4, 3), np.float32))
    check(f, np.ones((0, 3), np.float32))


def test_iteration_over_a_scalar_is_an_error():
    with pytest.raises(TypeError, match="0-d|scalar"):

        @tf.function
        def f(x):
            for y in x:
                pass

        f(tf.constant(1))


def test_unknown_length():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(xs):
        total = 0
        for i, x in enumerate(xs):
            total += i * x
        return total, len(xs)

    assert_same(as_python(f(tf.constant([1, 2, 3]))), (8, 3))
    assert_same(as_python(f(tf.constant([5]))), (0, 1))


def test_return_inside_while_true():
    def factorial(n):
        result = 1
        while True:
            if n <= 1:
                return result
            result *= n
            n -= 1

    check(factorial, 0, 2, 5)


def test_what_a_break_leaves_behind():
    def f(n):
        mark = 0
        for i in range(n):
            if i * i > 10:
                mark = i
                break
            mark = -1
        return mark

    check(f, 0, 2, 9)


def test_filters_inside_other_iterables():
    def f(xs):
        doubled = sum(map(lambda x: x * 2, filter(lambda x: x > 1, xs)))
        numbered = paired = 0
        for i, x in enumerate(filter(lambda x: x > 1, xs)):
            numbered = numbered * 7 + i * x
        for x, y in zip(filter(lambda x: x > 1, xs), xs):  # noqa: B905
            paired = paired * 7 + x * y
        twice = list(filter(lambda x: x > 2, filter(lambda x: x > 1, xs)))
        mapped = [x * 2 for x in map(lambda x: x + 1, filter(lambda x: x > 1, xs)) if x > 3]
        return doubled, numbered, paired, twice, mapped

    check(f, np.array([3, 1, 2]), np.array([4, 5]), np.array([2, 9, 1, 7]))


def test_unpacking_rows_of_known_length():
    def f(x, pairs):
        a, b = x
        first, *rest = pairs
        total = 0
        for p, q in pairs:
            if p > 1:
                total += p * q
        for i, (p, _) in enumerate(pairs):
            total += i * p
        return a - b, first, np.stack(rest), total

    check(f, (np.array([3, 4]), np.array([[1, 2], [3, 4], [5, 6]])))


def test_unpacking_the_wrong_number_is_pythons_error():
    @tf.function
    def f(x):
        a, b = x
        return a + b

    with pytest.raises(ValueError, match="too many values"):
        f(tf.constant([1, 2, 3]))
    unknown = tf.function(lambda x: f.python_function(x), input_signature=[tf.TensorSpec([None])])
    assert unknown(tf.constant([1.0, 2.0])).numpy() == 3.0
    with pytest.raises(ValueError, match=r"too many values to unpack \(expected 2\)"):
        unknown(tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected 2, got 1\)"):
        unknown(tf.constant([1.0]))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def starred(x):
        first, *rest = x
        return first, rest

    first, rest = starred(tf.constant([1.0, 2.0]))
    assert first == 1.0 and list(rest) == [2.0]
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected at least 1, got 0\)"):
        starred(tf.constant([]))
