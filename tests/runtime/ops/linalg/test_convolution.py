"""Convolutions, poolings and dropout as users call them: values by their definitions, layouts, errors in both modes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

random = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return random.standard_normal(shape)


def pads(length: int, size: int, stride: int, dilation: int, padding: Any, axis: int) -> tuple[int, int]:
    if padding == "VALID":
        return 0, 0
    if padding != "SAME":
        return tuple(padding[axis + 1])
    total = max((-(-length // stride) - 1) * stride + (size - 1) * dilation + 1 - length, 0)
    return total // 2, total - total // 2


def windows(x: Any, sizes: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    """Each place of the result with the elements of its window (None in the padding), by the definition."""
    lengths = x.shape[1:-1]
    geometry = list(zip(lengths, sizes, strides, dilations, strict=True))
    before = [pads(*entry, padding, i)[0] for i, entry in enumerate(geometry)]
    counts = [
        (n + sum(pads(n, k, s, d, padding, i)) - (k - 1) * d - 1) // s + 1 for i, (n, k, s, d) in enumerate(geometry)
    ]
    for place in np.ndindex(*counts):
        inside = {}
        for tap in np.ndindex(*sizes):
            at = tuple(p * s + t * d - b for p, s, t, d, b in zip(place, strides, tap, dilations, before, strict=True))
            if all(0 <= a < n for a, n in zip(at, lengths, strict=True)):
                inside[tap] = x[(slice(None), *at)]
        yield place, counts, inside


def convolved(x: Any, w: Any, strides: Any, padding: Any, dilations: Any, groups: int = 1) -> Any:
    result = None
    depth, number = w.shape[-2], w.shape[-1] // groups
    for place, counts, inside in windows(x, w.shape[:-2], strides, dilations, padding):
        if result is None:
            result = np.zeros((x.shape[0], *counts, w.shape[-1]))
        for tap, values in inside.items():
            for g in range(groups):
                part = (
                    values[:, g * depth : (g + 1) * depth] @ w[(*tap, slice(None), slice(g * number, (g + 1) * number))]
                )
                result[(slice(None), *place, slice(g * number, (g + 1) * number))] += part
    return result


EXPLICIT = [[0, 0], [1, 2], [0, 1], [0, 0]]


@pytest.mark.parametrize("strides, padding, dilations", list(itertools.product(
    [1, 2, [1, 2], [1, 3, 1, 1]], ["SAME", "VALID", EXPLICIT], [1, 2, [1, 2, 1, 1]])))  # fmt: skip
def test_two_dimensions(strides: Any, padding: Any, dilations: Any) -> None:
    x, w = normal(2, 7, 6, 4), normal(3, 2, 4, 5)

    def two(value: Any) -> Any:
        return [value] * 2 if isinstance(value, int) else value[1:-1] if len(value) == 4 else value

    expected = convolved(x, w, two(strides), padding, two(dilations))
    np.testing.assert_allclose(tf.nn.conv2d(x, w, strides, padding, dilations=dilations), expected, atol=1e-12)
    # Channels first, and in a graph that knows no dimension.
    first = [EXPLICIT[i] for i in (0, 3, 1, 2)] if padding is EXPLICIT else padding
    turned = [v if isinstance(v, int) or len(v) < 4 else [v[i] for i in (0, 3, 1, 2)] for v in (strides, dilations)]
    specs = [tf.TensorSpec([None] * 4, tf.float64)] * 2
    graph = tf.function(lambda x, w: tf.nn.conv2d(x, w, turned[0], first, "NCHW", turned[1]), input_signature=specs)
    got = np.asarray(graph(tf.constant(np.moveaxis(x, -1, 1)), tf.constant(w)))
    np.testing.assert_allclose(np.moveaxis(got, 1, -1), expected, atol=1e-12)


def test_one_and_three_dimensions() -> None:
    x, w = normal(2, 9, 3), normal(4, 3, 2)
    expected = convolved(x, w, [2], "SAME", [1])
    np.testing.assert_allclose(tf.nn.conv1d(x, w, 2, "SAME"), expected)
    np.testing.assert_allclose(tf.nn.convolution(x, w, 2, "SAME"), expected)
    got = tf.nn.conv1d(np.moveaxis(x, -1, 1), w, 2, "SAME", "NCW")
    np.testing.assert_allclose(np.moveaxis(np.asarray(got), 1, -1), expected)
    x, w = normal(1, 4, 5, 3, 2), normal(2, 3, 1, 2, 2)
    np.testing.assert_allclose(
        tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "VALID"), convolved(x, w, [1, 2, 1], "VALID", [1] * 3)
    )


def test_groups() -> None:
    x, w = normal(2, 5, 4, 6), normal(3, 3, 2, 9)
    np.testing.assert_allclose(tf.nn.conv2d(x, w, 1, "SAME"), convolved(x, w, [1, 1], "SAME", [1, 1], 3), atol=1e-12)


def test_depthwise_and_separable() -> None:
    x, w, p = normal(2, 6, 5, 3), normal(3, 2, 3, 2), normal(1, 1, 6, 4)
    each = [convolved(x[..., c : c + 1], w[:, :, c : c + 1], [2, 2], "SAME", [1, 1]) for c in range(3)]
    middle = np.concatenate(each, -1)
    np.testing.assert_allclose(tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"), middle, atol=1e-12)
    np.testing.assert_allclose(tf.nn.separable_conv2d(x, w, p, [1, 2, 2, 1], "SAME"), middle @ p[0, 0], atol=1e-12)


@pytest.mark.parametrize("padding, size", [("SAME", 8), ("VALID", 9), (EXPLICIT, 7)])
def test_transposed_is_the_adjoint(padding: Any, size: int) -> None:
    w, x = normal(3, 2, 3, 5), normal(2, size, 8, 3)
    y = normal(*tf.nn.conv2d(x, w, 2, padding).shape)
    back = tf.nn.conv2d_transpose(y, w, x.shape, 2, padding)
    assert back.shape == x.shape
    np.testing.assert_allclose((back * x).numpy().sum(), (convolved(x, w, [2, 2], padding, [1, 1]) * y).sum())
    # With the shape known at run time only, channels first.
    first = [EXPLICIT[i] for i in (0, 3, 1, 2)] if padding is EXPLICIT else padding
    graph = tf.function(lambda y, shape: tf.nn.conv2d_transpose(y, w, shape, 2, first, "NCHW"))
    got = graph(tf.constant(np.moveaxis(y, -1, 1)), tf.constant([2, 3, *x.shape[1:3]]))
    np.testing.assert_allclose(np.moveaxis(np.asarray(got), 1, -1), back, atol=1e-12)


def test_transposed_in_one_and_three_dimensions() -> None:
    for shape, sizes, function, forward in (
        ((2, 9, 3), (4, 3, 2), tf.nn.conv1d_transpose, tf.nn.conv1d),
        ((1, 4, 5, 3, 2), (2, 3, 1, 2, 2), tf.nn.conv3d_transpose, tf.nn.conv3d),
    ):
        x, w = normal(*shape), normal(*sizes)
        strides = [1] + [2] * (len(shape) - 2) + [1]
        y = forward(x, w, strides, "SAME")
        h = normal(*y.shape)
        np.testing.assert_allclose((function(h, w, shape, strides) * x).numpy().sum(), (y * h).numpy().sum())


@pytest.mark.parametrize("sizes, strides, padding", list(itertools.product(
    [2, [3, 2], [1, 2, 3, 1]], [1, [2, 1]], ["SAME", "VALID", [[0, 0], [1, 0], [0, 1], [0, 0]]])))  # fmt: skip
def test_poolings(sizes: Any, strides: Any, padding: Any) -> None:
    x = normal(2, 6, 5, 3)
    two = [[v] * 2 if isinstance(v, int) else v[-3:-1] if len(v) == 4 else v for v in (sizes, strides)]
    largest = mean = None
    for place, counts, inside in windows(x, two[0], two[1], [1, 1], padding):
        if largest is None:
            largest, mean = np.zeros((2, *counts, 3)), np.zeros((2, *counts, 3))
        values = np.array(list(inside.values()))
        largest[(slice(None), *place)], mean[(slice(None), *place)] = values.max(0), values.mean(0)
    for function, expected in ((tf.nn.max_pool2d, largest), (tf.nn.avg_pool2d, mean)):
        np.testing.assert_allclose(function(x, sizes, strides, padding), expected)
    specs = [tf.TensorSpec([None] * 4, tf.float64)]
    for function, expected in ((tf.nn.max_pool, largest), (tf.nn.avg_pool, mean)):
        graph = tf.function(lambda x: function(x, sizes, strides, padding), input_signature=specs)
        np.testing.assert_allclose(graph(tf.constant(x)), expected)


def test_poolings_in_other_dimensions_and_layouts() -> None:
    x = np.arange(12.0).reshape(1, 6, 2)
    assert np.asarray(tf.nn.max_pool1d(x, 3, 3, "VALID")).tolist() == [[[4, 5], [10, 11]]]
    # Windows of 4 cover 8 elements: one is added before, one behind, and neither counts.
    assert np.asarray(tf.nn.avg_pool1d(x, 4, 4, "SAME")).tolist() == [[[2, 3], [8, 9]]]
    got = tf.nn.max_pool1d(np.moveaxis(x, -1, 1), 3, 3, "VALID", "NCW")
    assert np.asarray(got).tolist() == [[[4, 10], [5, 11]]]
    x = np.arange(8).reshape(1, 2, 2, 2, 1)
    assert np.asarray(tf.nn.max_pool3d(x, 2, 2, "VALID")).ravel().tolist() == [7]
    assert np.asarray(tf.nn.avg_pool3d(x.astype(float), 2, 2, "VALID")).ravel().tolist() == [3.5]
    assert tf.nn.max_pool3d(x, 2, 2, "VALID").dtype == tf.int64


def test_ties_and_numbers_that_are_none() -> None:
    x = tf.ones((1, 2, 2, 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert np.asarray(tape.gradient(y, x)).ravel().tolist() == [1, 0, 0, 0]
    x = tf.constant([[[1.0], [np.nan], [0.0]]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool1d(x, 3, 3, "VALID")
    assert np.isnan(y) and np.asarray(tape.gradient(y, x)).ravel().tolist() == [0, 1, 0]


def test_the_padding_is_never_the_maximum() -> None:
    """Not even where all elements are as small as it is: the gradient goes to an element of the tensor."""
    x = tf.constant([[[-np.inf], [2.0], [1.0]]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool1d(x, 2, 3, [[0, 0], [1, 1], [0, 0]])
    assert np.asarray(y).ravel().tolist() == [-np.inf, 1.0]
    assert np.asarray(tape.gradient(y, x)).ravel().tolist() == [1.0, 0.0, 1.0]


def test_dropout() -> None:
    tf.random.set_seed(1)
    x = tf.fill((100, 100), 3.0)
    for function in (tf.nn.dropout, tf.function(tf.nn.dropout)):
        y = np.asarray(function(x, 0.25))
        assert set(np.unique(y)) == {0.0, 4.0} and abs((y == 0).mean() - 0.25) < 0.02
    assert tf.nn.dropout(x, 0.0).numpy().tolist() == x.numpy().tolist()
    rows = np.asarray(tf.nn.dropout(x, 0.5, noise_shape=[None, 1]))
    assert (rows == rows[:, :1]).all() and 20 < (rows[:, 0] == 0).sum() < 80
    first, second = (np.asarray(tf.nn.stateless_dropout(x, 0.5, seed=[1, 2])) for _ in range(2))
    assert (first == second).all() and 0 < (first == 0).mean() < 1
    assert (np.asarray(tf.nn.dropout(x, 0.5)) != np.asarray(tf.nn.dropout(x, 0.5))).any()
    half = tf.nn.dropout(tf.cast(x, tf.float16), tf.constant(0.5))
    assert half.dtype == tf.float16 and set(np.unique(half)) == {0.0, 6.0}
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5)
    np.testing.assert_allclose(tape.gradient(y, x), np.where(np.asarray(y) == 0, 0, 2))


X, W = np.ones((1, 4, 4, 2)), np.ones((3, 3, 2, 1))
WRONG: list[tuple[str, str]] = [
    ("nn.conv2d(X, W[:, :, :1].repeat(3, 2), 1, 'SAME')", "2 channels.*depth 3"),
    ("nn.conv2d(X, W[:, :, :1], 1, 'SAME')", "2 groups do not share 1 filters"),
    ("nn.conv2d(X, np.ones((6, 6, 2, 1)), 1, 'VALID')", "window of 6 does not fit into 4"),
    ("nn.conv2d(X[0], W, 1, 'SAME')", r"rank 4, but has shape \[4,4,2\]"),
    ("nn.conv2d(X, W[0], 1, 'SAME')", r"the filters must have rank 4, but has shape \[3,2,1\]"),
    ("nn.conv2d(X, W, 1, 'FULL')", "padding is .* not 'FULL'"),
    ("nn.conv2d(X, W, 1, [[1, 1], [1, 1], [1, 1]])", "pair of whole numbers for each of the 4 axes"),
    ("nn.conv2d(X, W, 1, [[1, 1], [0, 0], [0, 0], [0, 0]])", "can't be padded"),
    ("nn.conv2d(X, W, 0, 'SAME')", "above zero, not 0"),
    ("nn.conv2d(X, W, [2, 1, 1, 1], 'SAME')", "must be 1"),
    ("nn.conv2d(X, W, [1, 2, 3], 'SAME')", "should be 1, 2 or 4 numbers"),
    ("nn.conv2d(X, W, 1, 'SAME', 'NWHC')", "NHWC.*NCHW.*not 'NWHC'"),
    ("nn.conv2d(X > 0, W > 0, 1, 'SAME')", "bool"),
    ("nn.convolution(X, np.ones((2, 2)), 1, 'SAME')", "rank 3, 4 or 5"),
    ("nn.conv2d_transpose(X, np.ones((3, 3, 1, 2)), [1, 5, 4, 1], 1, 'SAME')", r"not the shape \[1,5,4,2\]"),
    ("nn.conv2d_transpose(X, np.ones((3, 3, 1, 2)), [1, 4, 4, 3], 1, 'SAME')", "3 groups do not share 2"),
    ("nn.depthwise_conv2d(X, np.ones((2, 2, 3, 1)), 1, 'SAME')", "3 channels, not for 2"),
    ("nn.max_pool2d(X, 6, 1, 'VALID')", "does not fit into 4"),
    ("nn.max_pool2d(X, 2, 1, [[0, 0], [2, 0], [0, 0], [0, 0]])", "wholly in padding"),
    ("nn.max_pool(X[0, 0], 2, 1, 'VALID')", "rank 3, 4 or 5, not 2"),
    ("nn.avg_pool2d(X.astype(int), 2, 1, 'VALID')", "int64"),
    ("nn.dropout(X, 1.0)", r"\[0, 1\), not 1"), ("nn.dropout(X, -0.5)", r"\[0, 1\), not -0.5"),
    ("nn.dropout(X.astype(int), 0.5)", "floating tensor, not int64"),
]  # fmt: skip


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("expression, text", WRONG)
def test_what_does_not_fit(expression: str, text: str, staged: bool) -> None:
    def call() -> Any:
        return eval(expression, {"nn": tf.nn, "np": np, "W": W, "X": X})

    with pytest.raises(InvalidArgumentError, match=text):
        tf.function(call)() if staged else call()


def test_gradients_that_nobody_wants_are_not_computed() -> None:
    def gradients(x: Any, w: Any, wanted: str) -> Any:
        with tf.GradientTape() as tape:
            tape.watch({"x": x, "w": w}[wanted])
            y = tf.reduce_sum(tf.nn.conv2d(x, w, 1, "SAME") @ tf.ones((1, 1), tf.float64))
        return tape.gradient(y, {"x": x, "w": w}[wanted])

    for wanted, there, missing in (("w", "filters", "transpose"), ("x", "transpose", "filters")):
        concrete = tf.function(gradients).get_concrete_function(tf.constant(X), tf.constant(W), wanted)
        names = [node.op.name for node in concrete.graph.nodes]
        assert f"convolution_{there}" in names and f"convolution_{missing}" not in names
        assert names.count("matmul") == 2  # the one that is differentiated, and its gradient by the first factor
