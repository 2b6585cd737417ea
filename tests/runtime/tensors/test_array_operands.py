"""Which dtype a NumPy scalar or array gives together with a tensor: TensorFlow's, unless that would lose values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError

ARRAYS = "bool int8 uint8 int32 int64 float16 float32 float64 complex64 complex128".split()
# What `tensor + array` and `array + tensor` give. TensorFlow 2.21 printed the tensor's dtype in each place; those in
# capitals differ, where it cuts off fractions or drops the imaginary part, and in the last row, where it raises.
SUMS = """
float16   float16 float16 float16 float16 float16 float16 float16 float16 COMPLEX64  COMPLEX128
float32   float32 float32 float32 float32 float32 float32 float32 float32 COMPLEX64  COMPLEX128
float64   float64 float64 float64 float64 float64 float64 float64 float64 COMPLEX128 COMPLEX128
int8      int8    int8    int8    int8    int8    FLOAT16 FLOAT32 FLOAT64 COMPLEX64  COMPLEX128
uint8     uint8   uint8   uint8   uint8   uint8   FLOAT16 FLOAT32 FLOAT64 COMPLEX64  COMPLEX128
int32     int32   int32   int32   int32   int32   FLOAT64 FLOAT64 FLOAT64 COMPLEX128 COMPLEX128
int64     int64   int64   int64   int64   int64   FLOAT64 FLOAT64 FLOAT64 COMPLEX128 COMPLEX128
complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64
bool      error   INT8    UINT8   INT32   INT64   FLOAT16 FLOAT32 FLOAT64 COMPLEX64  COMPLEX128
"""
CELLS = [
    (row.split()[0], array, result.lower())
    for row in SUMS.strip().splitlines()
    for array, result in zip(ARRAYS, row.split()[1:], strict=True)
]
Binary = Callable[[Any, Any], Any]


def both_orders(function: Binary, x: Any, y: Any) -> list[Any]:
    """The results eagerly and in a graph, of a tensor and of a variable, on either side."""
    variable = tf.Variable(x)
    return [
        function(x, y), function(y, x), function(variable, y), function(y, variable),
        tf.function(lambda x: function(x, y))(x), tf.function(lambda x: function(y, x))(x),
        tf.function(lambda: function(variable, y))(), tf.function(lambda: function(y, variable))(),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [lambda dtype: np.ones(2, dtype), lambda dtype: np.ones(2, dtype)[0]],
                         ids=["array", "scalar"])  # fmt: skip
@pytest.mark.parametrize("tensor, array, expected", CELLS)
def test_sums(tensor: str, array: str, expected: str, make: Callable[[str], Any]) -> None:
    x, y = tf.constant([1, 1] if tensor != "bool" else [True, True], tensor), make(array)
    if expected == "error":
        with pytest.raises(InvalidArgumentError, match="not defined for dtype bool"):
            both_orders(operator.add, x, y)
        return
    for function in (operator.add, operator.mul, tf.add, np.add, np.multiply):
        assert [each.dtype.name for each in both_orders(function, x, y)] == [expected] * 8


@pytest.mark.parametrize("function", [operator.floordiv, operator.mod, operator.pow, tf.maximum, np.minimum],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_other_operators_take_the_tensors_dtype(function: Binary) -> None:
    for tensor, array in [("float32", "float64"), ("float16", "int64"), ("int32", "int64"), ("uint8", "int64")]:
        results = both_orders(function, tf.constant([3, 5], tensor), np.array([2, 2], array))
        assert {each.dtype.name for each in results} == {tensor}


def test_comparisons_are_made_in_the_tensors_dtype() -> None:
    x = tf.constant([0.1, 0.2])  # not equal to 0.1 in float64
    for result in both_orders(operator.eq, x, np.array([0.1, 0.3])):
        assert result.numpy().tolist() == [True, False]
    assert (x <= np.float64(0.1)).numpy().tolist() == [True, False]


def test_quotients() -> None:
    for tensor, array, expected in [
        ("float32", "float64", "float32"), ("float32", "int64", "float32"), ("int32", "int64", "float64"),
        ("int32", "float32", "float64"), ("int64", "int32", "float64"),
    ]:  # fmt: skip
        results = both_orders(operator.truediv, tf.constant([1, 2], tensor), np.array([2, 4], array))
        assert {each.dtype.name for each in results} == {expected}


# Expressions and the dtype that TensorFlow 2.21 printed for them, eagerly or in a graph.
AS_TENSORFLOW = """
f / np.sqrt(2.0)                                       float32
f + [np.float64(1), 2]                                 float32
i + [np.int64(1), 2]                                   int32
f + range(2)                                           float32
f[None] @ np.ones((2, 2))                              float32
np.ones((2, 2)) @ f[:, None]                           float32
tf.maximum(np.float64(1.5), f)                         float32
tf.pow(np.float64(2), f)                               float32
tf.where(b, f, np.float64(0))                          float32
tf.where(b, np.zeros(2), f)                            float32
tf.concat([np.zeros(2), f], 0)                         float32
tf.concat([i, np.array([1, 2])], 0)                    int32
tf.stack([np.float64(2), f[0]])                        float32
tf.stack([np.zeros(2), f])                             float32
tf.convert_to_tensor([np.float64(2), f[0]])            float32
tf.matmul(f[None], np.ones((2, 2)))                    float32
tf.einsum("i,i->", np.ones(2), f)                      float32
tf.clip_by_value(f, np.float64(0), np.float64(1))      float32
tf.clip_by_value(i, np.int64(0), np.int64(1))          int32
tf.range(i[0], np.int64(5))                            int64
tf.linspace(f[0], np.float64(5), 3)                    float32
tf.reduce_sum([f, np.zeros(2)])                        float32
tf.tensor_scatter_nd_update(f, [[0]], np.array([5.0])) float32
tf.tensor_scatter_nd_update(i, [[0]], np.array([5]))   int32
tf.pad(f, [[1, 1]], constant_values=np.float64(3))     float32
tf.math.squared_difference(np.ones(2), f)              float32
tf.math.atan2(f, np.ones(2))                           float32
tf.math.divide_no_nan(np.ones(2), f)                   float32
tf.math.floordiv(i, np.array([1, 2]))                  int32
tf.bitwise.bitwise_and(i, np.array([1, 2]))            int32
tf.nn.softmax_cross_entropy_with_logits(np.ones(2), f) float32
tf.nn.bias_add(f[None], np.ones(2))                    float32
tf.nn.batch_normalization(f, np.zeros(2), np.ones(2), np.zeros(2), np.ones(2), 0.1) float32
tf.linalg.cross(tf.ones(3), np.ones(3))                float32
tf.linalg.solve(tf.eye(2), np.ones((2, 1)))            float32
tf.foldl(lambda a, x: a + x * np.float64(2), f)        float32
tf.map_fn(lambda x: x * np.float64(2), f)              float32
tf.while_loop(lambda x: tf.reduce_sum(x) < 9, lambda x: [x * np.float64(2)], [f])[0] float32
tf.TensorArray("float32", 1).write(0, np.float64(1)).stack() float32
v.assign(v * np.sqrt(2.0))                             float32
v.assign_sub(np.float64(0.1) * v)                      float32
v.assign_add(np.array([1, 2]))                         float32
""".strip().splitlines()
# Others, which TensorFlow refuses, or where NumPy computes and gives an array of float64.
MORE = """
tf.add(np.float64(1.5), f)                             float32
tf.add(np.array([1, 2]), f)                            float32
tf.add_n([f, np.zeros(2)])                             float32
tf.matmul(np.ones((2, 2)), f[:, None])                 float32
tf.matmul(np.ones((2, 2)), f[None], transpose_b=True)  float32
tf.tensordot(f, np.ones(2), 1)                         float32
tf.linalg.matvec(np.ones((2, 2)), f)                   float32
tf.linalg.triangular_solve(np.eye(2), f[:, None], adjoint=True) float32
tf.linalg.set_diag(tf.eye(2), np.ones(2))              float32
tf.nn.conv1d(f[None, :, None], np.ones((1, 1, 1)), 1, "SAME") float32
tf.nn.sigmoid_cross_entropy_with_logits(np.ones(2), f) float32
tf.nn.weighted_cross_entropy_with_logits(np.ones(2), f, 2.0) float32
tf.complex(f, np.ones(2))                              complex64
tf.math.polyval([f, np.ones(2)], np.ones(2))           float32
tf.clip_by_global_norm([f], 1.0, np.float64(2))[0][0]  float32
i + np.float64(1.5)                                    float64
f + np.complex128(1j)                                  complex128
f + tf.constant([1.0, 2.0], tf.float64)                float64
f + tf.constant(np.array([1.0, 2.0]))                  float64
np.where(b, f, np.zeros(2))                            float32
np.dot(f, np.ones(2))                                  float32
np.outer(np.ones(2), f)                                float32
np.matmul(np.ones((2, 2)), f)                          float32
np.einsum("i,i", f, np.ones(2))                        float32
np.concatenate([f, np.zeros(2)])                       float32
np.linalg.solve(tf.eye(2), np.ones(2))                 float32
np.clip(f, np.zeros(2), np.ones(2))                    float32
""".strip().splitlines()


@pytest.mark.parametrize("line", AS_TENSORFLOW + MORE)
def test_expressions(line: str) -> None:
    expression, dtype = line.rsplit(None, 1)
    v = tf.Variable([1.0, 2.0])
    function = eval(f"lambda f, i, b: {expression}", {"tf": tf, "np": np, "v": v})
    inputs = tf.constant([1.0, 2.0]), tf.constant([1, 2]), tf.constant([True, False])
    eager, in_graph = function(*inputs), tf.function(function)(*inputs)
    assert eager.dtype.name == in_graph.dtype.name == dtype


@pytest.mark.parametrize("dtype, array", [
    ("int32", np.int64(2**31)), ("int32", np.array([0, -(2**31) - 1])), ("uint8", np.int64(-1)),
    ("int8", np.uint8(200)), ("int64", np.uint64(2**63)), ("int32", [np.int64(2**40), 1]),
])  # fmt: skip
def test_integers_that_do_not_fit_are_refused(dtype: str, array: Any) -> None:
    """TensorFlow wraps them around; NumPy, and autograph for Python's numbers, refuse."""
    x = tf.constant([1, 2], dtype)
    for function in (operator.add, operator.lt, operator.eq, tf.maximum, np.add, lambda x, y: y * x):
        for refused in (function, tf.function(lambda x, f=function: f(x, array))):
            with pytest.raises(InvalidArgumentError, match=r"out of bounds for tf.u?int"):
                refused(x, array) if refused is function else refused(x)


def test_state_and_gradients_stay_float32() -> None:
    x, rate = tf.Variable([1.0, 2.0]), np.float64(0.1)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * np.array([1.0, 2.0]) / np.sqrt(2.0) + np.float64(2) ** x)
        gradient = tape.gradient(loss, x)
        x.assign_sub(rate * gradient)
        return loss, gradient

    loss, gradient = step()
    assert loss.dtype == gradient.dtype == x.dtype == "float32"


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "AdamW"])
def test_keras_stays_float32(name: str) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Lambda(lambda x: x / np.sqrt(2.0))])
    model.compile(getattr(tf.keras.optimizers, name)(np.float64(0.1)), "mse", metrics=["mae"])
    model.fit(np.ones((4, 3)), np.ones((4, 2)), sample_weight=np.ones(4), epochs=1, verbose=0)
    assert {each.dtype for each in (*model.weights, model(np.ones((1, 3))))} == {tf.float32}
    loss = tf.keras.losses.CategoricalCrossentropy()(np.array([[0.0, 1.0]]), tf.constant([[0.2, 0.8]]))
    assert loss.dtype is tf.float32


def test_datasets_stay_float32() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(np.ones(2, np.float32)).map(lambda x: x * np.sqrt(2.0) + np.ones(2))
    assert dataset.element_spec.dtype is tf.float32 and [each.dtype for each in dataset] == [tf.float32] * 2


def test_saved_models_stay_float32(tmp_path: Any) -> None:
    module = tf.Module()
    module.scale = tf.function(lambda x: x / np.sqrt(2.0), input_signature=[tf.TensorSpec([2], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).scale(tf.ones(2)).dtype is tf.float32


def test_assertions_compare_in_the_tensors_dtype() -> None:
    tf.debugging.assert_equal(tf.constant([0.1]), np.array([0.1]))
    with pytest.raises(InvalidArgumentError):
        tf.debugging.assert_equal(tf.constant([1]), np.array([1.5]))
