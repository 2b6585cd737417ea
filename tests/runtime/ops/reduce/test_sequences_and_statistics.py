"""Functions of TensorFlow's over blocks, sequences and statistics: values are those that TensorFlow 2.21 returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError

from ...values import check_value, evaluate, numbers

# (expression, value or values)
VALUES: list[tuple[str, Any]] = [
    ('tf.nn.space_to_depth(tf.reshape(tf.range(16.),(1,4,4,1)),2)',
     [[[[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]], [[8.0, 9.0, 12.0, 13.0], [10.0, 11.0, 14.0, 15.0]]]]),
    ('tf.reverse_sequence([[1,2,3],[4,5,6]],[2,3],seq_axis=1,batch_axis=0)',
     [[2, 1, 3], [6, 5, 4]]),
    ('tf.reverse_sequence(numbers(3,2,2),[2,3],seq_axis=0,batch_axis=1)',
     [[[4, 5], [10, 11]], [[0, 1], [6, 7]], [[8, 9], [2, 3]]]),
    ('tf.reverse_sequence([[1,2,3],[4,5,6]],[0,1],seq_axis=1)',
     [[1, 2, 3], [4, 5, 6]]),
    ('tf.dynamic_stitch([[0,2],[1]],[[1,3],[2]])',
     [1, 2, 3]),
    ('tf.dynamic_stitch([[0,2],1],[[[1,1],[3,3]],[2,2]])',
     [[1, 1], [2, 2], [3, 3]]),
    ('tf.dynamic_stitch([[0,0]],[[1,2]])',
     [2]),
    ('tf.nn.weighted_moments([1.,2,3],[0],[1.,1,2])',
     [2.25, 0.6875]),
    ('tf.nn.weighted_moments([[1.,2,3],[3,4,5]],[0],[[1.],[2]])',
     [[2.3333, 3.3333, 4.3333], [0.8889, 0.8889, 0.8889]]),
    ('tf.nn.weighted_moments([[1.,2,3],[3,4,5]],[1],[1.,2,3],keepdims=True)',
     [[[2.3333], [4.3333]], [[0.5556], [0.5556]]]),
    ('tf.nn.sufficient_statistics([1.,2],[0])',
     [2.0, 3.0, 5.0, 'None']),
    ('tf.nn.sufficient_statistics([[1.,2],[3,5]],[0,1],shift=1.)',
     [4.0, 7.0, 21.0, 1.0]),
    ('tf.nn.normalize_moments(2.,3.,4.,None)',
     [1.5, -0.25]),
    ('tf.nn.normalize_moments(2.,3.,4.,1.)',
     [2.5, -0.25]),
    ('tf.histogram_fixed_width([-1.,0,1.5,2,5,15],[0.,5.],nbins=5)',
     [2, 1, 1, 0, 2]),
    ('tf.histogram_fixed_width_bins([-1.,0,1.5,2,5,15],[0.,5.],nbins=5)',
     [0, 0, 1, 2, 4, 4]),
    ('tf.histogram_fixed_width_bins([[-1.,0],[1.5,2]],[0.,5.])',
     [[0, 0], [30, 40]]),
    ('tf.nn.log_poisson_loss([1.],[2.])',
     [5.3891]),
    ('tf.nn.log_poisson_loss([0.,1.,2.,5.],[2.,1.,1.,.5],compute_full_loss=True)',
     [7.3891, 1.7183, 1.3701, 3.9196]),
    ('tf.nn.compute_average_loss([1.,2.],global_batch_size=4)',
     0.75),
    ('tf.nn.compute_average_loss([1.,2.])',
     1.5),
    ('tf.nn.compute_average_loss([1.,2.],sample_weight=[1.,3.])',
     3.5),
    ('tf.nn.scale_regularization_loss(3.)',
     3.0),
    ('tf.math.unsorted_segment_sqrt_n([1.,2,3],[0,0,1],2)',
     [2.1213, 3.0]),
    ('tf.math.unsorted_segment_sqrt_n([1.,2,3],[0,0,-1],2)',
     [2.1213, 0.0]),
    ('tf.broadcast_dynamic_shape([2,1],[3])',
     [2, 3]),
    ('tf.linalg.cholesky_solve([[2.,0],[1,1]],[[1.],[2.]])',
     [[-0.5], [1.5]]),
    ('tf.linalg.matrix_rank([[1.,2],[2,4]])',
     1),
    ('tf.linalg.matrix_rank([[[1.,2],[2,4]],[[1.,2],[2,5]]])',
     [1, 2]),
    ('tf.linalg.matrix_rank([[1.,2],[2,4.1]],tol=1.)',
     1),
    ('tf.bitcast([1.],tf.int32)',
     [1065353216]),
    ('tf.bitcast(tf.constant([[1.,2.]]),tf.int8)',
     [[[0, 0, -128, 63], [0, 0, 0, 64]]]),
    ('tf.bitcast(tf.constant([[1,0,0,0],[2,0,0,1]],tf.uint8),tf.int32)',
     [1, 16777218]),
    ('tf.grad_pass_through(tf.exp)(1.)',
     2.7183),
    ('tf.math.erfinv([.5,-.2,0.,.999,1.,-1.,.99999])',
     [0.4769, -0.1791, 0.0, 2.3268, np.inf, -np.inf, 3.1232]),
    ('tf.math.erfinv([2.])',
     [np.nan]),
]  # fmt: skip


@pytest.mark.parametrize("expression, value", VALUES, ids=[expression for expression, _ in VALUES])
def test_values_are_tensorflows(expression: str, value: Any) -> None:
    check_value(expression, value, atol=1e-4)


@pytest.mark.parametrize(
    "expression",
    [
        "tf.nn.depth_to_space(numbers(2, 2, 3, 6), 2)", "tf.nn.space_to_depth(numbers(1, 3, 4, 1), 2)",
        "tf.nn.space_to_depth(numbers(1, 4, 4, 1), 1)", "tf.nn.space_to_depth(numbers(4, 4), 2)",
        "tf.nn.space_to_depth(numbers(1, 4, 4, 1), 2, 'HWCN')",
        "tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3, 1], seq_axis=1)",
        "tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 7], seq_axis=1)",
        "tf.reverse_sequence([[1, 2], [4, 5]], [1, 1], seq_axis=0)", "tf.reverse_sequence([[1]], [1.0], seq_axis=1)",
        "tf.broadcast_static_shape([2], [3])", "tf.broadcast_dynamic_shape([2], [3])", "tf.dynamic_stitch([], [])",
        "tf.dynamic_stitch([[0, 1]], [[1, 2, 3]])", "tf.bitcast(tf.constant([[1, 0, 0]], tf.uint8), tf.int32)",
        "tf.bitcast(['a'], tf.int32)", "tf.bitcast([1.0], tf.bool)", "tf.histogram_fixed_width([1.0], [0.0, 1.0], 0)",
        "tf.nn.compute_average_loss(1.0)", "tf.linalg.matrix_rank([1.0])",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(expression: str) -> None:
    def compute() -> Any:
        return evaluate(expression)

    for function in (compute, tf.function(compute, autograph=False)):
        with pytest.raises((InvalidArgumentError, OutOfRangeError)):
            function()


def test_blocks_go_there_and_back_with_unknown_sizes_and_gradients() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None, None, None, None), tf.float32)])
    def squares(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2)
            loss = tf.reduce_sum(y * y)
        return y, tape.gradient(loss, x)

    x = numbers(2, 4, 6, 3).astype(np.float32)
    same, gradient = squares(x)
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(gradient, 2 * x)


def test_the_inverse_error_function_is_exact_in_the_tails() -> None:
    x = np.linspace(-5.5, 5.5, 111)
    y = tf.math.erf(tf.constant(x)).numpy()
    np.testing.assert_allclose(tf.math.erf(tf.math.erfinv(y)).numpy(), y, rtol=1e-14)
    np.testing.assert_allclose(tf.math.erfinv(y[30:-30]).numpy(), x[30:-30], rtol=1e-7)


def test_a_function_may_pass_gradients_through() -> None:
    x = tf.constant([1.2, 3.7])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(tf.round)(x) * 3.0
    np.testing.assert_array_equal(y, [3, 12])
    np.testing.assert_array_equal(tape.gradient(y, x), [3, 3])


def test_where_code_runs() -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.name_scope("outer"), tf.name_scope("inner"):
            seen.append((tf.inside_function(), tf.is_symbolic_tensor(x), tf.get_current_name_scope()))
        return x

    f(tf.constant(1))
    assert seen == [(True, True, "outer/inner")]
    assert not tf.inside_function() and not tf.is_symbolic_tensor(tf.constant(1)) and tf.get_current_name_scope() == ""
