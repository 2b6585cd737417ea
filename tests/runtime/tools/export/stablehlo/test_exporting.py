"""Traced functions and models as programs in StableHLO: what JAX gives for them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, InvalidTypeError, SavingError
from tests.runtime.tools.export.stablehlo.common import check_exported, check_same, run_apart, run_here

NUMBERS = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = [tf.TensorSpec((None, 3))]
COUNTED = [tf.TensorSpec((None, 3)), tf.TensorSpec((), tf.int32)]


# In a process that has JAX and not autograph


def collatz(n):
    steps = tf.constant(0, tf.int64)
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_collatz_in_64_bits(tmp_path: Path) -> None:
    check_exported(collatz, [tf.TensorSpec((), tf.int64)], (27,), (670617279,), folder=tmp_path, apart=True)


def search(x, limit):
    found = -1.0
    for i in tf.range(tf.shape(x)[0]):
        if x[i, 0] > 5:
            break
        if x[i, 0] < tf.cast(limit, tf.float32):
            continue
        found = x[i, 1]
    else:
        found = found * 2
    return found


def test_break_continue_and_else(tmp_path: Path) -> None:
    path = check_exported(search, COUNTED, (NUMBERS, 1), folder=tmp_path, apart=True)
    check_same(search(NUMBERS[:2], 0), run_here(path, NUMBERS[:2], np.int32(0)))


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = y * x + 1
        total = tf.reduce_sum(y)
    return tape.gradient(total, x)


def test_gradients_in_a_loop(tmp_path: Path) -> None:
    check_exported(slope, ROWS, (NUMBERS / 4,), folder=tmp_path, apart=True)


def network(*layers: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    return tf.keras.Sequential(list(layers))


def test_a_network_of_convolutions_for_any_batch(tmp_path: Path) -> None:
    layers = tf.keras.layers
    model = network(
        layers.Input((8, 8, 1)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.Dropout(0.5), layers.Flatten(), layers.Dense(3, activation="softmax"),
    )  # fmt: skip
    path = tmp_path / "model.stablehlo"
    model.export(path, format="stablehlo")
    x = np.random.default_rng(0).normal(size=(5, 8, 8, 1)).astype(np.float32)
    (got,) = run_apart(path, x)
    check_same(model(x), got)
    check_same(model(x[:1]), run_here(path, x[:1]))


def test_an_lstm_for_any_batch_and_any_length(tmp_path: Path) -> None:
    layers = tf.keras.layers
    model = network(layers.Input((None, 4)), layers.LSTM(5, return_sequences=True), layers.GRU(3), layers.Dense(2))
    path = tmp_path / "model.stablehlo"
    tf.export.stablehlo(model, path)
    x = np.random.default_rng(0).normal(size=(5, 7, 4)).astype(np.float32)
    (got,) = run_apart(path, x)
    check_same(model(x), got)
    check_same(model(x[:2, :3]), run_here(path, x[:2, :3]))


# Dimensions that vary


def test_each_size_that_varies_may_be_any_from_one_on(tmp_path: Path) -> None:
    def table(x):
        rows = tf.shape(x)[0]
        scaled = tf.reshape(x, (-1, rows)) * tf.cast(tf.size(x), tf.float32)
        return scaled + tf.reduce_mean(x) + tf.math.reduce_std(x, 0)[0], tf.zeros((rows * 2, 1)), rows

    path = check_exported(table, ROWS, (NUMBERS,), (NUMBERS[:1],), folder=tmp_path)
    with pytest.raises(ValueError, match=">= 1 for dimension variable 'x_0'"):
        run_here(path, NUMBERS[:0])


def collected(x):
    found = []
    for row in x:
        found.append(row * 2)
    return tf.stack(found), len(found)


def nested(x):
    rows = []
    for row in x:
        items = []
        for item in row:
            items.append(item + 1)
        rows.append(tf.stack(items))
    return tf.stack(rows)


def written(x):
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        array = array.write(i, x[i] * 2)
    return array.stack()


@pytest.mark.parametrize("function", [collected, nested, written])
def test_lists_are_as_long_as_what_varies(function: Any, tmp_path: Path) -> None:
    signature = [tf.TensorSpec((None, None))] if function is nested else ROWS
    check_exported(function, signature, (NUMBERS,), (NUMBERS[:1],), folder=tmp_path)


def test_two_sizes_may_be_said_to_be_the_same(tmp_path: Path) -> None:
    path = tmp_path / "program.stablehlo"
    added = tf.function(lambda x, y: x + y)
    with pytest.raises(SavingError, match=r"incompatible shapes[^$]*dimensions says so"):
        tf.export.stablehlo(added, path, ROWS * 2)
    tf.export.stablehlo(added, path, ROWS * 2, dimensions={"x": "n, 3", "y": "n, 3"})
    check_same(NUMBERS + NUMBERS, run_here(path, NUMBERS, NUMBERS))
    for wrong in ("n, 4", "n", "n, 3)", "n, m"):
        with pytest.raises(InvalidArgumentError, match=r"dimensions\['x'\]"):
            tf.export.stablehlo(added, path, ROWS * 2, dimensions={"x": wrong})
    with pytest.raises(InvalidArgumentError, match="has no argument 'z'"):
        tf.export.stablehlo(added, path, ROWS * 2, dimensions={"z": "n, 3"})


def test_the_inputs_of_a_model_have_one_batch(tmp_path: Path) -> None:
    inputs = [tf.keras.Input((3,)), tf.keras.Input((3,))]
    model = tf.keras.Model(inputs, tf.keras.layers.Add()(inputs))
    tf.export.stablehlo(model, tmp_path / "model.stablehlo")
    check_same(NUMBERS * 2, run_here(tmp_path / "model.stablehlo", NUMBERS, NUMBERS))


def test_what_depends_on_a_size_is_refused_at_its_line(tmp_path: Path) -> None:
    for function in (lambda x: tf.reshape(x, (2, -1)), lambda x: tf.squeeze(x), lambda x: tf.split(x, 2)[0]):
        message = refused(function, ROWS, tmp_path)
        assert "depends on" in message and "give the tf.TensorSpec the size" in message
        assert "test_exporting.py" in message


# Errors


def test_where_a_function_raises_floats_are_not_numbers(tmp_path: Path) -> None:
    path = check_exported(lambda x, i: tf.gather(x, i), COUNTED, (NUMBERS, 3), folder=tmp_path)
    assert np.isnan(run_here(path, NUMBERS, np.int32(9))).all()


def test_whole_numbers_tell_no_errors_unless_a_flag_does(tmp_path: Path) -> None:
    def pick(x, i):
        return tf.gather(x, i), i * 2

    message = refused(pick, COUNTED, tmp_path)
    assert "gather: it raises an error in some runs" in message and 'errors="flag"' in message
    path = tmp_path / "program.stablehlo"
    tf.export.stablehlo(tf.function(pick), path, COUNTED, errors="flag")
    (row, number), failed = run_here(path, NUMBERS, np.int32(2))
    assert (row.tolist(), int(number), bool(failed)) == ([6.0, 7.0, 8.0], 4, False)
    assert bool(run_here(path, NUMBERS, np.int32(-1))[1])
    tf.export.stablehlo(tf.function(lambda x: x), path, ROWS, errors="flag")
    assert not run_here(path, NUMBERS)[1]
    with pytest.raises(InvalidArgumentError, match="errors is"):
        tf.export.stablehlo(tf.function(pick), path, COUNTED, errors="raise")


def first(x):
    for i in tf.range(tf.shape(x)[0]):
        if x[i, 0] > 5:
            return i
    return -1


def rising(x):
    count = 0
    for i in tf.range(1, tf.shape(x)[0]):
        if x[i, 0] > x[i - 1, 0]:
            count += 1
    return count


def outside(x):
    count = 0
    for i in tf.range(1, tf.shape(x)[0]):
        if x[i, 0] > x[i + 1, 0]:
            count += 1
    return count


def test_what_follows_a_loop_lies_inside(tmp_path: Path) -> None:
    for function in (first, rising):
        check_exported(function, ROWS, (NUMBERS,), (NUMBERS[:1],), folder=tmp_path)
    assert "get_item: it raises an error in some runs" in refused(outside, ROWS, tmp_path)


def asserting(x):
    tf.debugging.Assert(tf.reduce_all(x >= 0), ["negative"])
    if tf.reduce_sum(x) > 1000:
        raise ValueError("too much")
    return tf.sqrt(x)


def test_assertions_and_raise(tmp_path: Path) -> None:
    path = check_exported(asserting, ROWS, (NUMBERS,), folder=tmp_path)
    assert np.isnan(run_here(path, NUMBERS * 100)).all()
    check_exported(asserting, ROWS, (NUMBERS,), folder=tmp_path, drop_assertions=True)
    np.testing.assert_array_equal(run_here(path, NUMBERS * 100), np.sqrt(NUMBERS * 100))


def test_integers_are_divided_as_in_python(tmp_path: Path) -> None:
    x, y = np.array([7, -7, 7, -7, -(2**31), 5], np.int32), np.array([2, 2, -2, -2, -1, 3], np.int32)
    check_exported(lambda x, y: (x // y, x % y), [tf.TensorSpec((6,), tf.int32)] * 2, (x, y), folder=tmp_path)
    divided = run_here(tmp_path / "program.stablehlo", x, np.zeros(6, np.int32))
    assert not np.any(divided)  # as NumPy, which warns


# Results, and what is held


def test_results_are_dicts_lists_and_tuples(tmp_path: Path) -> None:
    path = check_exported(lambda x: {"a": x, "b": [x * 2, (x, None)]}, ROWS, folder=tmp_path)
    found = run_here(path, NUMBERS)
    assert found["b"][1][1] is None and type(found["b"]) is list
    np.testing.assert_array_equal(found["b"][0], NUMBERS * 2)


def test_variables_and_state_outside_are_what_they_were(tmp_path: Path) -> None:
    class Scale:
        factor = tf.constant(3.0)
        weights = tf.Variable([[1.0], [2.0], [3.0]])

        @tf.function
        def __call__(self, x):
            return x @ self.weights * self.factor

    scale, path = Scale(), tmp_path / "program.stablehlo"
    expected = scale(NUMBERS)
    tf.export.stablehlo(type(scale).__call__.__get__(scale), path, ROWS)
    scale.weights.assign(tf.zeros((3, 1)))
    check_same(expected, run_here(path, NUMBERS))


def test_numbers_of_a_seed_are_those_of_autograph(tmp_path: Path) -> None:
    def noise(seed):
        return tf.random.stateless_uniform((3,), seed), tf.random.stateless_normal((3,), seed)

    check_exported(noise, [tf.TensorSpec((2,), tf.int32)], ([1, 2],), folder=tmp_path)


# Refusals


def refused(function: Any, signature: Any, folder: Path, **options: Any) -> str:
    path = folder / "refused.stablehlo"
    with pytest.raises(SavingError) as caught:
        tf.export.stablehlo(tf.function(function), path, signature, **options)
    assert not path.exists()
    return str(caught.value)


def test_all_that_a_program_can_not_do_is_named_with_its_lines(tmp_path: Path) -> None:
    state = tf.Variable([1.0, 2.0, 3.0], name="state")

    def several(x):
        state.assign_add(x[0])
        tf.print(x)
        noise = tf.random.normal((3,))
        return tf.py_function(lambda x: x, [x * noise], tf.float32)

    message = refused(several, ROWS, tmp_path)
    assert "because of 4 operations" in message and "assigns to the variable 'state:0'" in message
    for line in ("state.assign_add(x[0])", "tf.print(x)", "tf.random.normal((3,))", "tf.py_function"):
        assert line in message
    assert "stateless" in message


def growing(x):
    found = []
    while tf.reduce_sum(x) > 1:
        found.append(x)
        x = x / 2
    return tf.stack(found)


def test_lists_of_which_nobody_knows_how_long_they_become(tmp_path: Path) -> None:
    message = refused(growing, ROWS, tmp_path)
    assert "nobody knows how long" in message and "found.append(x)" in message and "tf.TensorArray" in message
    message = refused(lambda x: tf.boolean_mask(x, x[:, 0] > 0), ROWS, tmp_path)
    assert "test_exporting.py" in message


@pytest.mark.parametrize(("spec", "text"), [
    (tf.TensorSpec(None), "unknown rank"), (tf.TensorSpec((2,), tf.string), "is text"),
])  # fmt: skip
def test_arguments_that_stablehlo_has_no_types_for(spec: Any, text: str, tmp_path: Path) -> None:
    assert text in refused(lambda x: tf.shape(x), [spec], tmp_path)


def test_recursion_and_other_values(tmp_path: Path) -> None:
    @tf.function
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else n

    assert "calls itself" in refused(lambda n: factorial(n), [tf.TensorSpec((), tf.int32)], tmp_path)
    with pytest.raises(InvalidTypeError, match="stablehlo takes a traced function"):
        tf.export.stablehlo(lambda x: x, tmp_path / "program", ROWS)


def test_a_file_that_is_there_stays_when_the_export_fails(tmp_path: Path) -> None:
    path = tmp_path / "program.stablehlo"
    path.write_bytes(b"before")
    with pytest.raises(SavingError):
        tf.export.stablehlo(tf.function(growing), path, ROWS)
    assert path.read_bytes() == b"before"
