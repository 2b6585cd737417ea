"""Loops over datasets in traced functions: staged, streaming, in Python's order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import OutOfRangeError, StagedValueError, StagingError
from autograph.operators.staging.prelude.python_builtins import FrozenIteratorWarning

Dataset = tf.data.Dataset


def pairs() -> Any:
    return Dataset.from_tensor_slices((np.arange(6, dtype=np.float32), np.arange(6))).batch(4)


def test_a_loop_is_one_node_whatever_the_length() -> None:
    @tf.function
    def total(n: Any) -> Any:
        result = tf.constant(0, tf.int64)
        for x in Dataset.range(10**15):
            if x >= n:
                break
            result += x
        return result

    assert int(total(tf.constant(1000, tf.int64))) == 499500
    assert len(total.get_concrete_function(tf.constant(1, tf.int64)).graph.nodes) < 12


def test_elements_keep_their_structure_and_batches_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = pairs()

    @tf.function
    def run() -> Any:
        step, total = 0, 0.0
        for x, y in dataset:
            step += 1
            total += tf.reduce_sum(x)
            tf.print(step, x, y)
        return step, total

    for _ in range(2):
        step, total = run()
        assert (int(step), float(total)) == (2, 15)
        assert capsys.readouterr().err == "1 [0 1 2 3] [0 1 2 3]\n2 [4 5] [4 5]\n"


def test_enumerate_zip_map_filter_and_consumers() -> None:
    dataset = pairs()

    @tf.function
    def run() -> Any:
        total, last = tf.constant(0, tf.int64), -1
        for i, ((_, y), z) in enumerate(zip(dataset, Dataset.range(5, 100))):
            total += tf.reduce_sum(y) * z
            last = i
        odd = [x * 10 for x in Dataset.range(5) if x % 2 == 1]
        for x in filter(lambda x: x > 2, map(lambda x: x + 1, Dataset.range(4))):
            total += x
        return total, last, odd, list(Dataset.range(3)), sum(Dataset.range(4))

    total, last, odd, listed, summed = run()
    assert (int(total), int(last), int(summed)) == (6 * 5 + 9 * 6 + 7, 1, 6)
    assert odd.numpy().tolist() == [10, 30] and listed.numpy().tolist() == [0, 1, 2]


def test_else_continue_return_and_nested_loops() -> None:
    @tf.function
    def find(limit: Any) -> Any:
        seen = 0
        for i in Dataset.range(5):
            if i == 1:
                continue
            for j in Dataset.range(i):
                seen += 1
                if i * j > limit:
                    return i, j, seen
        else:
            seen = -seen
        return tf.constant(-1, tf.int64), tf.constant(-1, tf.int64), seen

    assert [int(x) for x in find(tf.constant(5, tf.int64))] == [3, 2, 5]
    assert [int(x) for x in find(tf.constant(99, tf.int64))] == [-1, -1, -9]


def test_no_element_is_made_before_it_is_needed() -> None:
    events: list[Any] = []

    def numbers() -> Iterator[int]:
        for i in range(9):
            events.append(f"make {i}")
            yield i

    dataset = Dataset.from_generator(numbers, tf.int32)

    @tf.function
    def run() -> None:
        for x in dataset:
            tf.py_function(lambda value: events.append(f"body {int(value)}"), [x], [])
            if x == 1:
                break

    run()
    assert events == ["make 0", "body 0", "make 1", "body 1"]


def test_an_iterator_goes_on_where_a_loop_has_stopped() -> None:
    @tf.function
    def until_odd(iterator: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x
            if x % 2 == 1:
                break
        return total

    iterator = iter(Dataset.range(6))
    assert [int(until_odd(iterator)) for _ in range(4)] == [1, 5, 9, 0]


def test_next_takes_an_element_in_each_run() -> None:
    @tf.function
    def two(iterator: Any) -> Any:
        return next(iterator) * 10 + iterator.get_next()

    iterator = iter(Dataset.range(5))
    assert [int(two(iterator)), int(two(iterator))] == [1, 23]
    with pytest.raises(OutOfRangeError, match="End of sequence"):
        two(iterator)

    @tf.function
    def fresh() -> Any:
        iterator = iter(Dataset.range(5, 9))
        return next(iterator) + next(iterator)

    assert [int(fresh()), int(fresh())] == [11, 11]

    @tf.function
    def with_default(iterator: Any) -> Any:
        return next(iterator, 0)

    with pytest.raises(StagedValueError, match="with a default"):
        with_default(iterator)


def test_datasets_made_in_a_function_use_its_tensors() -> None:
    @tf.function
    def run(n: Any, k: Any) -> Any:
        dataset = Dataset.range(n).map(lambda x: x * k).filter(lambda x: x != k).batch(2).repeat(2)
        dataset = dataset.take(n).concatenate(Dataset.from_tensors([k]))
        result = []
        for row in dataset:
            result.append(tf.reduce_sum(row))
        return tf.convert_to_tensor(result)

    number = tf.constant(4, tf.int64)
    assert run(number, tf.constant(10, tf.int64)).numpy().tolist() == [20, 30, 20, 30, 10]
    assert run(number, tf.constant(1, tf.int64)).numpy().tolist() == [2, 3, 2, 3, 1]


def test_flat_map_and_reduce_in_a_function() -> None:
    @tf.function
    def run(n: Any) -> Any:
        inner = Dataset.range(n).flat_map(lambda q: Dataset.range(q).map(lambda x: x * 10 + q))
        return inner.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    assert int(run(tf.constant(3, tf.int64))) == 1 + 2 + 12


def test_a_shuffle_begins_anew_in_each_call_as_in_python() -> None:
    def run() -> Any:
        result = []
        for x in Dataset.range(8).shuffle(8, seed=3).repeat(2):
            result.append(x)
        return tf.convert_to_tensor(result)

    staged = tf.function(run)
    expected = run().numpy().tolist()
    assert [staged().numpy().tolist() for _ in range(2)] == [expected, expected]
    assert expected[:8] != expected[8:]


def test_the_global_seed_gives_one_order_in_both_modes() -> None:
    dataset = Dataset.range(20)

    def run() -> Any:
        result = []
        for x in dataset.shuffle(7):
            result.append(x)
        return tf.convert_to_tensor(result), tf.random.uniform([2])

    tf.random.set_seed(5)
    expected = run()
    tf.random.set_seed(5)
    for eager, staged in zip(expected, tf.function(run)(), strict=True):
        np.testing.assert_array_equal(eager, staged)


def test_variables_change_in_the_loop_and_in_functions_of_the_dataset() -> None:
    v = tf.Variable(1.0)
    dataset = Dataset.range(3).map(lambda x: tf.cast(x, tf.float32) + v)

    @tf.function
    def run() -> Any:
        for x in dataset:
            v.assign_add(x)
        return v

    # Each element is made after the step before: 0 + 1, 1 + 2, 2 + 5.
    assert float(run()) == 12


def test_gradients_go_through_a_loop_over_a_dataset() -> None:
    w = tf.Variable(2.0)
    dataset = Dataset.from_tensor_slices(np.array([1.0, 2.0, 3.0], np.float32))

    @tf.function
    def slope() -> Any:
        with tf.GradientTape() as tape:
            loss = 0.0
            for x in dataset:
                loss += w * x * x
        return tape.gradient(loss, w)

    @tf.function
    def train() -> Any:
        for x in dataset.repeat(40):
            with tf.GradientTape() as tape:
                loss = (w * x - 5.0 * x) ** 2
            w.assign_sub(0.02 * tape.gradient(loss, w))
        return w

    assert float(slope()) == 14
    assert float(train()) == pytest.approx(5, abs=1e-3)


def test_iterators_do_not_leave_their_function() -> None:
    kept = {}

    @tf.function
    def leak() -> Any:
        kept["iterator"] = iter(Dataset.range(3))
        return next(kept["iterator"])

    assert int(leak()) == 0
    with pytest.raises(StagingError, match="used outside the graph it belongs to"):
        next(kept["iterator"])


class Loader:
    def __init__(self) -> None:
        self.words = Dataset.from_tensor_slices(["a", "b"])

    def __iter__(self) -> Any:
        return iter(self.words)


def test_objects_that_give_iterators_over_datasets_and_strings() -> None:
    loader = Loader()

    @tf.function
    def run() -> Any:
        joined = tf.constant("")
        for word in loader:
            joined += word
        return joined

    assert [run().numpy(), run().numpy()] == [b"ab", b"ab"]


def test_a_variable_of_an_empty_loop_is_undefined_afterwards() -> None:
    @tf.function
    def last(n: Any) -> Any:
        for x in Dataset.range(n):
            pass
        return x

    assert int(last(tf.constant(3, tf.int64))) == 2
    with pytest.raises(UnboundLocalError, match="'x'"):
        last(tf.constant(0, tf.int64))


def test_unconverted_loops_are_refused() -> None:
    @tf.function(autograph=False)
    def run() -> None:
        for _ in Dataset.range(3):
            pass

    with pytest.raises(StagedValueError, match="iterated over in Python while a graph is being traced"):
        run()


def test_next_of_a_python_iterator_is_frozen_and_warns(capsys: pytest.CaptureFixture[str]) -> None:
    var = tf.Variable(0)

    @tf.function
    def side_effect(iterator: Any) -> None:
        var.assign_add(next(iterator))
        tf.print("Value of variable:", var)

    iterator = iter([0, 1, 2, 3])
    with pytest.warns(FrozenIteratorWarning, match="frozen in the graph") as caught:
        for _ in range(3):
            side_effect(iterator)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert capsys.readouterr().err == "Value of variable: 0\n" * 3


def test_next_of_an_iterator_made_in_the_function_does_not_warn() -> None:
    @tf.function
    def run() -> Any:
        numbers = iter([1, 2, 3])
        return tf.constant(next(numbers) + next(numbers))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert int(run()) == 3


class Holder:
    def __init__(self) -> None:
        self.numbers = iter([5, 6])

    @tf.function
    def take(self) -> Any:
        return tf.constant(next(self.numbers))


def test_next_of_an_iterator_in_an_attribute_warns() -> None:
    holder = Holder()
    with pytest.warns(FrozenIteratorWarning):
        assert [int(holder.take()), int(holder.take())] == [5, 5]
