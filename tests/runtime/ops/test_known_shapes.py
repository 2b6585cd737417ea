"""Shapes that are known while tracing: all that attributes and constants decide, over all samples of all ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base.dtypes import variant
from autograph.runtime.ir.op import Op, type_of
from tests.runtime.ops.test_ops import CASES, input_type, promoted, run, types

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value|Mean of empty):RuntimeWarning")
OF_VALUES = {
    "argwhere": "as many rows as there are elements other than zero",
    **dict.fromkeys(
        ["decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_webp"], "that of the picture"
    ),
    "decode_raw": "as many numbers as the bytes of the strings make",
    "matching_files": "as many as there are files",
    **dict.fromkeys(["parse_example", "parse_sequence_example"], "as many as the longest list has"),
    "parse_tensor": "what the string says",
    "bincount": "up to the largest number",
    "unique": "as many as there are different elements",
    "string_split": "as many as there are words",
    "string_tokens": "as many columns as the longest row has",
    "text": "as many as there are words",
    **dict.fromkeys(["list_stack", "list_lengths", "nested_list_stack"], "as many as there are items"),
    **dict.fromkeys(["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"], "up to the last id"),
}
"""The ops that make as much as the values of their inputs say, whatever else is known."""
GIVEN_BY_INPUTS: dict[str, Callable[[Any, Any], Any]] = {
    "array_stack": lambda x, n: tf.TensorArray(tf.float32, 2).unstack([x[0], x[1]]).stack(),
    "avg_pool_transpose": lambda x, n: _gradient(lambda y: tf.nn.avg_pool2d(y, 2, 1, "SAME"), tf.zeros([n, 4, 4, 1])),
    "broadcast_to": lambda x, n: tf.broadcast_to(x, tf.stack([n, 2, n])),
    "convolution_filters": lambda x, n: _gradient(lambda w: tf.nn.conv2d(tf.ones([1, 9, 9, 2]), w, 1, "SAME"),
                                                  tf.ones([n, 2, 2, 3])),
    "convolution_transpose": lambda x, n: tf.nn.conv2d_transpose(
        tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 4, 2]), [1, n * 2, n * 2, 4], 2),
    "dynamic_slice": lambda x, n: tf.slice(x, [n - 2, 0], [1, n - 1]),
    "fill": lambda x, n: tf.fill(tf.shape(x) * n, 1.0),
    "get_item": lambda x, n: x[: n - 2, 1:n],
    "pad": lambda x, n: tf.pad(x, [[n, 0], [0, n // 2]]),
    **{name: lambda x, n, draw=draw: draw(tf.concat([tf.shape(x), [n]], 0)) for name, draw in {
        "random_gamma": lambda shape: tf.random.gamma(shape, 1.0),
        "random_normal": tf.random.normal,
        "random_poisson": lambda shape: tf.random.poisson(shape, 2.0),
        "random_truncated_normal": tf.random.truncated_normal,
        "random_uniform": tf.random.uniform,
        "generator_draw": lambda shape: GENERATOR.normal(shape),
        "stateless_random_gamma": lambda shape: tf.random.stateless_gamma(shape, [1, 2], 1.0),
        "stateless_random_normal": lambda shape: tf.random.stateless_normal(shape, [1, 2]),
        "stateless_random_poisson": lambda shape: tf.random.stateless_poisson(shape, [1, 2], 2.0),
        "stateless_random_truncated_normal": lambda shape: tf.random.stateless_truncated_normal(shape, [1, 2]),
        "stateless_random_uniform": lambda shape: tf.random.stateless_uniform(shape, [1, 2]),
    }.items()},
    "range": lambda x, n: (tf.range(n, dtype=tf.int64), tf.range(0.0, 1.0, 1 / tf.cast(n, tf.float32))),
    "repeat": lambda x, n: (tf.repeat(x, n), tf.repeat(x, [n, 2], 0), tf.repeat(x, tf.shape(x)[1:], 1)),
    "reshape": lambda x, n: tf.reshape(x, [tf.size(x) // n, -1]),
    "scatter_nd": lambda x, n: tf.scatter_nd([[1]], [2.0], tf.shape(x)[1:] * n),
    "sequence_mask": lambda x, n: tf.sequence_mask([1, 2], n),
    "tile": lambda x, n: tf.tile(x, [n, tf.shape(x)[1] - 1]),
}  # fmt: skip
"""For ops whose attributes may leave their shape to an input: calls in which that input is known, of `x` and 3."""

GENERATOR = tf.random.Generator.from_seed(1)


def _gradient(function: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def left_open(name: str, attributes: dict[str, Any]) -> bool:
    """Whether attributes say that an input decides the shape."""
    if name in ("range", "repeat", "sequence_mask"):
        return not any(attributes.get(key) is not None for key in ("length", "count", "maxlen"))
    if name == "get_item":
        return "input" in str(attributes["key"])
    return any(attributes.get(key, ()) is None or None in attributes.get(key, ()) or -1 in attributes.get(key, ())
               for key in ("shape", "size", "multiples", "paddings") if key in attributes)  # fmt: skip


@pytest.mark.parametrize("record, inputs, attributes", CASES)
def test_attributes_and_types_decide_the_shape_of_results(record: Op, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, inputs)
    inferred = types(record.infer(*map(input_type, arrays), **attributes))
    for type_, result in zip(inferred, run(record, arrays, attributes), strict=True):
        if type_.dtype is not variant and type_.shape != type_of(result).shape:
            assert record.name in OF_VALUES or record.name in GIVEN_BY_INPUTS
            assert record.name in OF_VALUES or left_open(record.name, attributes)


@pytest.mark.parametrize("name", sorted(GIVEN_BY_INPUTS))
def test_shapes_given_by_known_inputs_are_known(name: str) -> None:
    def f(x: Any) -> Any:
        return GIVEN_BY_INPUTS[name](x, tf.shape(tf.zeros([3, 1]))[0])

    x = tf.constant(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    traced = tf.function(f)
    shapes = tf.nest.map_structure(lambda y: tuple(y.shape), traced.get_concrete_function(x).structured_outputs)
    assert shapes == tf.nest.map_structure(lambda y: tuple(y.shape), f(x))
    assert shapes == tf.nest.map_structure(lambda y: tuple(y.shape), traced(x))


def test_what_is_made_of_unknown_dimensions_is_unknown() -> None:
    @tf.function
    def f(x: Any) -> Any:
        n, m = tf.unstack(tf.shape(x))
        return tf.zeros([n + 1, m * 2, n * 0 + m]), x[:, : m - 1], tf.range(n), tf.zeros(tf.shape(x)[::-1])

    traced = f.get_concrete_function(tf.TensorSpec([None, 4]))
    found = [tuple(y.shape) for y in traced.structured_outputs]
    assert found == [(None, 8, None), (None, 3), (None,), (4, None)]
    assert [tuple(y.shape) for y in f(tf.zeros([2, 4]))] == [(3, 8, 4), (2, 3), (2,), (4, 2)]


def test_dimensions_are_known_in_branches_and_loops() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        columns = tf.shape(x)[1] * 2
        y = tf.zeros([columns])
        for i in tf.range(n):
            y = tf.ones([columns]) if i > 2 else tf.zeros([columns]) + y
        return y

    assert f.get_concrete_function(tf.TensorSpec([None, 4]), tf.TensorSpec([], tf.int32)).output_shapes == [8]


def test_a_length_that_changes_in_a_loop_is_unknown() -> None:
    @tf.function
    def f(n: Any) -> Any:
        k, y = 1, tf.zeros([1])
        for _ in tf.range(n):
            k = k + 1
            y = tf.zeros([k])
        return y

    assert f(tf.constant(3)).shape == [4]


def test_what_is_wrong_with_computed_shapes_waits_for_a_run_that_gets_there() -> None:
    @tf.function
    def f(x: Any) -> Any:
        n = tf.shape(x)[0] - 5
        if n > 0:
            y = (tf.zeros([n]), tf.repeat(x, n), tf.pad(x, [[0, n]]), tf.range(3, delta=n + 3), tf.tile(x, [n]))
        else:
            y = (x, x, x, tf.range(3), x)
        return y

    assert [each.shape for each in f(tf.zeros([2]))] == [[2], [2], [2], [3], [2]]
