"""What the expression passes promise on tensors: the same values as in plain Python, from one trace for all inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from tests.language.support import check

NUMBERS = [np.array(values, np.int32) for values in ([1, 2, 3], [0, -1, 5], [4, 4, -4])]


def both(x: Any, y: Any) -> Any:
    return x > 0 and y > 0, x > 0 or y > x or x == y, not x > y


def chain(x: Any, y: Any) -> Any:
    return 0 < x <= y < 5, 0 < x


def membership(x: Any, y: Any) -> Any:
    return x in [1, y], x not in (y, 3)


def identity(x: Any, y: Any) -> Any:
    last = None
    if x > y:
        last = x
    return 0 if last is None else last


def conditional(x: Any, y: Any) -> Any:
    return x * 2 if x > y else -y if y > 0 else 0


def operand_is_lazy(x: Any, y: Any) -> Any:
    return y != 0 and x // y > 1


def walrus(x: Any, y: Any) -> Any:
    if x > 0 and (total := x + y) > 2:
        return total
    return -x


def values(x: Any, y: Any) -> Any:
    match x:
        case 1:
            return 10
        case 2 | 3 if y > 0:
            return 20
        case n if n > y:
            return n
    return 0


def structures(x: Any, y: Any) -> Any:
    match (x, y):
        case (0, b):
            return b
        case (a, 0) if a > 3:
            return a
        case (1, c) | (c, 1):
            return c * 100
        case _:
            return -1


@pytest.mark.parametrize(
    "function",
    [both, chain, membership, identity, conditional, operand_is_lazy, walrus, values, structures],
    ids=lambda function: function.__name__,
)
def test_scalars(function: Any) -> None:
    check(function, *[(x, y) for x in (-1, 0, 1, 2, 4) for y in (-1, 0, 1, 3)])


def elements(xs: Any) -> Any:
    return [x * 2 for x in xs]


def filtered(xs: Any) -> Any:
    return [x * 2 for x in xs if x > 1]


def two_loops(xs: Any) -> Any:
    return [x + y for x in xs for y in xs if x > y]


def sums(xs: Any) -> Any:
    return sum(x * x for x in xs), sum(x for x in xs if x > 0), sum(x * k for k in [1, 2] for x in xs)


def searches(xs: Any) -> Any:
    return any(x > 3 for x in xs), all(x > 0 for x in xs), any(x > 2 for x in xs if x != 3)


def condition_on_each(xs: Any) -> Any:
    return sum(k for k in [1, 2, 3] if k > xs[0])


def last_hit(xs: Any) -> Any:
    hit = xs[0]
    found = any((hit := x) > 1 for x in xs)
    return found, hit


@pytest.mark.parametrize(
    "function",
    [elements, filtered, two_loops, sums, searches, condition_on_each, last_hit],
    ids=lambda function: function.__name__,
)
def test_comprehensions(function: Any) -> None:
    check(function, *NUMBERS)


def items(xs: Any) -> Any:
    xs[1] = 7
    xs[0] += 5
    xs[1], xs[2] = xs[2], xs[1]
    xs[:2] *= 2
    return xs


def items_in_a_loop(xs: Any) -> Any:
    for i in range(3):
        if xs[i] > 1:
            xs[i] = xs[i - 1]
    return xs


def items_of_a_list(xs: Any) -> Any:
    rows = [xs, xs * 2]
    rows[1][0] = 5
    rows[0][2] += 1
    return rows[0], rows[1]


class Holder:
    pass


def items_of_an_attribute(xs: Any) -> Any:
    holder = Holder()
    holder.values = xs * 1
    holder.values[0] = 9
    holder.values[1] += 1
    return holder.values


def staged_index(xs: Any) -> Any:
    i = 2 if xs[0] > 0 else 1
    xs[i] = 100
    return xs, [10, 20, 30][i]


@pytest.mark.parametrize(
    "function",
    [items, items_in_a_loop, items_of_a_list, items_of_an_attribute, staged_index],
    ids=lambda function: function.__name__,
)
def test_stores(function: Any) -> None:
    staged = tf.function(function)
    for xs in NUMBERS:
        expected = function(xs.copy())
        actual = staged(tf.constant(xs))
        for left, right in zip(
            *[value if isinstance(value, tuple) else (value,) for value in (actual, expected)], strict=True
        ):
            np.testing.assert_array_equal(np.asarray(left), right)


def test_an_alias_of_the_old_value_does_not_see_a_store() -> None:
    @tf.function
    def store(x: Any) -> Any:
        before = x
        x[0] = 5
        return before, x

    before, after = store(tf.constant([1, 2]))
    np.testing.assert_array_equal(before.numpy(), [1, 2])
    np.testing.assert_array_equal(after.numpy(), [5, 2])


def test_eager_tensors_store_too() -> None:
    def store(x: Any, rows: Any) -> Any:
        x[0] = 5
        x[1] += 1
        rows[0][1] = x[0]
        return x, rows

    x, rows = tf.autograph.to_graph(store)(tf.constant([1, 2]), [tf.constant([3, 4])])
    np.testing.assert_array_equal(x.numpy(), [5, 3])
    np.testing.assert_array_equal(rows[0].numpy(), [3, 5])


def test_text() -> None:
    text = tf.function(lambda x: f"{x} is {'big' if x > 2 else 'small'}")
    assert text(tf.constant(2)).numpy() == b"2 is small"
    assert text(tf.constant(3)).numpy() == b"3 is big"


def test_assert_and_raise() -> None:
    @tf.function
    def checked(x: Any) -> Any:
        assert x != 0, f"{x} is zero"
        if x < 0:
            raise ValueError("negative")
        return x

    assert checked(tf.constant(2)).numpy() == 2
    with pytest.raises(AssertionError, match="0 is zero"):
        checked(tf.constant(0))
    with pytest.raises(ValueError, match="negative"):
        checked(tf.constant(-1))


def test_a_generator_that_is_kept_is_refused() -> None:
    @tf.function
    def kept(xs: Any) -> Any:
        generator = (x * 2 for x in xs)
        return next(generator)

    with pytest.raises(tf.errors.StagedValueError, match="generator expression") as caught:
        kept(tf.constant([1, 2]))
    assert "list comprehension" in str(caught.value)
