"""The public functions: every one is documented, and a wide choice of them means what TensorFlow's mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError
from tests.work import work

NAMESPACES = ["math", "nn", "linalg", "random", "strings", "bitwise"]


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_function_is_documented(namespace: str) -> None:
    module = getattr(tf, namespace)
    names = [name for name in dir(module) if not name.startswith("_")]
    assert names
    for name in names:
        assert (getattr(module, name).__doc__ or "").strip(), name


# What TensorFlow 2.21 returned for the same expressions: (expression, dtype, value).
AS_TENSORFLOW: list[tuple[str, str, Any]] = [
    ("tf.reduce_mean([1, 2])", "int32", 1), ("tf.reduce_mean([-1, -2])", "int32", -1),
    ("tf.reduce_sum([1, 2])", "int32", 3),
    ("tf.reduce_max(tf.constant([], tf.int32))", "int32", -2147483648),
    ("tf.reduce_max(tf.constant([], tf.float32))", "float32", -np.inf),
    ("tf.reduce_mean(tf.constant([], tf.int32))", "int32", 0), ("tf.truncatediv(-7, 2)", "int32", -3),
    ("tf.math.floormod(-7, 2)", "int32", 1),
    ("tf.range(5)", "int32", [0, 1, 2, 3, 4]), ("tf.range(5.)", "float32", [0, 1, 2, 3, 4]),
    ("tf.range(tf.constant(2, tf.int64))", "int64", [0, 1]),
    ("tf.linspace(0, 1, 3)", "float64", [0, 0.5, 1]), ("tf.linspace(0., 1., 3)", "float32", [0, 0.5, 1]),
    ("tf.one_hot([0, -1, 5], 3)", "float32", [[1, 0, 0], [0, 0, 0], [0, 0, 0]]),
    ("tf.eye(2, 3)", "float32", [[1, 0, 0], [0, 1, 0]]),
    ("tf.norm([[3., 4.], [1, 2]])", "float32", 5.477226), ("tf.math.top_k([1., 3., 2.], 2).values", "float32", [3, 2]),
    ("tf.math.top_k([1., 3., 2.], 2).indices", "int32", [1, 2]), ("tf.unique([3, 1, 3]).y", "int32", [3, 1]),
    ("tf.unique([3, 1, 3]).idx", "int32", [0, 1, 0]),
    ("tf.math.bincount([1, 1, 3])", "int32", [0, 2, 0, 1]),
    ("tf.math.bincount([1, 1, 3], weights=[1., 2., 3.])", "float32", [0, 3, 0, 3]),
    ("tf.searchsorted([1, 2, 3], [0, 2, 4])", "int32", [0, 1, 3]),
    ("tf.sequence_mask([1, 3])", "bool", [[1, 0, 0], [1, 1, 1]]),
    ("tf.math.segment_sum([1., 2, 3], [0, 0, 2])", "float32", [3, 0, 3]),
    ("tf.math.unsorted_segment_sum([1., 2, 3], [0, -1, 2], 3)", "float32", [1, 0, 3]),
    ("tf.scatter_nd([[0], [0]], [1, 2], [3])", "int32", [3, 0, 0]),
    ("tf.math.cumsum([1, 2, 3], exclusive=True, reverse=True)", "int32", [5, 3, 0]),
    ("tf.math.reduce_std([1., 2])", "float32", 0.5), ("tf.math.count_nonzero([1, 0])", "int64", 1),
    ("tf.size([1])", "int32", 1),
    ("tf.round([0.5, 1.5, -2.5])", "float32", [0, 2, -2]), ("tf.reverse([1, 2], [0])", "int32", [2, 1]),
    ("tf.boolean_mask([1, 2, 3], [True, False, True])", "int32", [1, 3]),
    ("tf.where([True, False])", "int64", [[0]]), ("tf.abs(tf.constant(3 + 4j))", "float64", 5),
    ("tf.bitwise.right_shift(-8, 1)", "int32", -4),
    ("tf.cast(300, tf.int8)", "int8", 44), ("tf.cast(-1.5, tf.uint8)", "uint8", 255),
    ("tf.repeat([1, 2], [2, 3])", "int32", [1, 1, 2, 2, 2]),
    ("tf.math.cumulative_logsumexp([1., 2])", "float32", [1, 2.3132617]),
    ("tf.math.divide_no_nan(1., 0.)", "float32", 0),
    ("tf.math.reduce_euclidean_norm([3, 4])", "int32", 5), ("tf.math.erf(0.5)", "float32", 0.5204999),
    ("tf.math.lgamma(3.)", "float32", 0.6931472),
    ("tf.math.digamma(3.)", "float32", 0.9227842), ("tf.math.zero_fraction([0, 1])", "float32", 0.5),
    ("tf.nn.gelu(1.)", "float32", 0.8413447),
    ("tf.nn.gelu(1., True)", "float32", 0.841192), ("tf.tensordot([1, 2], [3, 4], 1)", "int32", 11),
    ("tf.argmin([[1, 0], [2, 3]])", "int64", [0, 0]),
    ("tf.sort([[1, 0]], direction='DESCENDING')", "int32", [[1, 0]]), ("tf.math.xdivy(0., 0.)", "float32", 0),
    ("tf.nn.l2_loss([3., 4.])", "float32", 12.5),
    ("tf.nn.sigmoid_cross_entropy_with_logits([1.], [2.])", "float32", [0.126928]),
    ("tf.linalg.diag([1, 2], k=1)", "int32", [[0, 1, 0], [0, 0, 2], [0, 0, 0]]),
    ("tf.linalg.band_part(tf.ones((2, 2)), 0, -1)", "float32", [[1, 1], [0, 1]]),
    ("tf.linalg.trace([[1, 2], [3, 4]])", "int32", 5),
    ("tf.pad([1, 2], [[1, 1]], 'REFLECT')", "int32", [2, 1, 2, 1]),
    ("tf.pad([1, 2], [[1, 1]], constant_values=5)", "int32", [5, 1, 2, 5]),
    ("tf.math.mod(-1.5, 1.)", "float32", 0.5), ("tf.meshgrid([1, 2], [3, 4, 5])[0]", "int32", [[1, 2]] * 3),
    ("tf.split(tf.range(6), [1, -1])[1]", "int32", [1, 2, 3, 4, 5]),
    ("tf.math.confusion_matrix([0, 1], [1, 1], 2)", "int32", [[0, 1], [0, 1]]), ("tf.stack([])", "float32", []),
    ("tf.transpose(tf.ones((2, 3)))", "float32", [[1, 1]] * 3),
    ("tf.strings.as_string(1.5)", "string", b"1.500000"), ("tf.strings.as_string(True)", "string", b"true"),
    ("tf.strings.as_string(1+2j)", "string", b"(1.000000,2.000000)"),
    ("tf.strings.format('x: {}', tf.range(10))", "string", b"x: [0 1 2 ... 7 8 9]"),
    ("tf.strings.format('{}', tf.constant('a'))", "string", b'"a"'),
    ("tf.strings.format('x: {} {}', [0.1, tf.constant([[1., 2], [3, 1e10]])])", "string",
        b"x: 0.1 [[1 2]\n [3 1e+10]]"),
    ("tf.strings.to_number('1.5')", "float32", 1.5),
    ("tf.strings.to_hash_bucket_fast(['', 'a', 'as', 'it was long ago', 'long' * 5, 'long' * 9, 'long' * 40], 10 ** 9)",
        "int64", [34397263, 809363939, 214919871, 353123390, 121119019, 725951090, 909399889]),
    ("tf.strings.to_hash_bucket_strong(['', 'a', 'it was long ago'], 10 ** 9, key=[7, -9])", "int64",
        [502549772, 808244120, 479304357]),
    ("tf.strings.split('a,b,,c', sep=',')", "string", [b"a", b"b", b"", b"c"]),
    ("tf.strings.substr('hello', -2, 2)", "string", b"lo"), ("tf.strings.length('héé')", "int32", 5),
    ("tf.strings.join(['a', tf.constant(['b', 'c'])], '-')", "string", [b"a-b", b"a-c"]),
    ("tf.strings.lower('ÀB')", "string", "Àb".encode()),
    ("tf.strings.reduce_join([['a', 'b'], ['c', 'd']], 0)", "string", [b"ac", b"bd"]),
    ("tf.equal('a', 'b')", "bool", False),
    ("tf.atan2(y=1., x=2.)", "float32", 0.4636476), ("tf.math.nextafter(x1=1., x2=9.)", "float32", 1.0000001),
    ("tf.nn.relu(features=[-1., 2.])", "float32", [0, 2]), ("tf.nn.softplus(features=0.)", "float32", 0.6931472),
    ("tf.math.real(input=1 + 2j)", "float64", 1), ("tf.math.imag(input=1 + 2j)", "float64", 2),
    ("tf.math.angle(input=1j)", "float64", 1.5707963), ("tf.stop_gradient(input=1.)", "float32", 1),
    ("tf.boolean_mask([1, 2], [False, True], axis=None)", "int32", [2]),
    ("tf.strings.regex_replace('aab', 'a+', r'x\\0')", "string", b"xaab"), ("tf.strings.strip('  a ')", "string", b"a"),
]  # fmt: skip


@pytest.mark.parametrize("expression, dtype, value", AS_TENSORFLOW, ids=lambda x: x if isinstance(x, str) else "")
def test_values_are_tensorflows(expression: str, dtype: str, value: Any) -> None:
    result = eval(expression, {"tf": tf, "np": np})
    assert result.dtype.name == dtype
    assert result.shape.as_list() == list(np.shape(value))
    if dtype == "string":
        assert np.asarray(result).tolist() == value
    else:
        np.testing.assert_allclose(np.asarray(result), value, rtol=1e-6)


@pytest.mark.parametrize(
    "expression",
    [
        "tf.gather([1, 2, 3], -1)", "tf.gather([1, 2, 3], 5)", "tf.constant([1, 2, 3])[-4]",
        "tf.constant([1, 2, 3])[5]",
        "tf.gather_nd([[1, 2]], [[0, 5]])", "tf.scatter_nd([[0], [5]], [1, 2], [3])", "tf.slice([1, 2], [1], [2])",
        "tf.tensor_scatter_nd_update([1, 2, 3], [[-1]], [9])", "tf.constant([1, 2])[tf.constant([0, 2])]",
    ],
)  # fmt: skip
def test_an_index_out_of_range_is_an_error(expression: str) -> None:
    for kind in (tf.errors.InvalidArgumentError, IndexError):  # as in TensorFlow, and as in Python
        with pytest.raises(kind):
            eval(expression, {"tf": tf})


@pytest.mark.parametrize(
    "expression, text",
    [
        ("tf.matmul(tf.ones((2, 3)), tf.ones((2, 3)))", r"\[2,3\] and \[2,3\]"),
        ("tf.reshape([1, 2, 3], (2, 2))", "reshape"),
        ("tf.squeeze([[1], [2]], 0)", "not 1"), ("tf.split(tf.range(6), 4)", "equal parts"),
        ("tf.linalg.inv([[0., 0], [0, 0]])", "inverted"),
        ("tf.range(0, 3, 0)", "step"), ("tf.argmax(tf.constant([], tf.float32))", "argmax"),
        ("tf.strings.to_number('x')", "x"),
        ("tf.strings.substr('hello', 7, 2)", "pos 7"), ("tf.pow(2, -1)", "negative"),
        ("tf.add([1, 2], [1, 2, 3])", r"\(2,\)|\[2\]"),
        ("tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[1., 2.]])", "label 5"),
        ("tf.stack([[1], [1, 2]])", "shapes"),
        ("tf.reduce_sum([1], axis=3)", "axis 3"), ("tf.linalg.cholesky([[0., 0], [0, -1]])", "Cholesky"),
        ("tf.cast('1', tf.int32)", "string"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_an_error(expression: str, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        eval(expression, {"tf": tf})


def test_the_same_seed_draws_the_same_numbers() -> None:
    def draw() -> list[Any]:
        tf.random.set_seed(7)
        draws = [tf.random.uniform((3,)), tf.random.normal((3,), seed=1), tf.random.normal((3,), seed=1),
            tf.random.shuffle(tf.range(9))]
        return [np.asarray(x).tolist() for x in draws]

    first = draw()
    assert first == draw() and first[1] != first[2]
    a, b = (np.asarray(tf.random.stateless_uniform((4,), seed=[1, 2])).tolist() for _ in range(2))
    assert a == b != np.asarray(tf.random.stateless_uniform((4,), seed=[1, 3])).tolist()


def test_random_numbers_are_distributed_as_they_say() -> None:
    tf.random.set_seed(1)
    ints = np.asarray(tf.random.uniform((1000,), 2, 5, tf.int32))
    assert set(ints) == {2, 3, 4}
    assert np.abs(np.asarray(tf.random.truncated_normal((1000,)))).max() <= 2
    classes = np.asarray(tf.random.categorical([[0.0, np.log(3.0)]], 4000))
    assert abs(classes.mean() - 0.75) < 0.03


def test_set_item_leaves_the_old_tensor() -> None:
    from autograph.runtime.ops.shape.index import set_item

    x = tf.constant([1, 2, 3])
    y = set_item(x, 1, 9)
    assert np.asarray(x).tolist() == [1, 2, 3] and np.asarray(y).tolist() == [1, 9, 3]
    assert np.asarray(set_item(tf.zeros((2, 2)), np.s_[:, 1], 5)).tolist() == [[0, 5], [0, 5]]
    with pytest.raises((InvalidArgumentError, TypeError)):
        set_item(x, 0, 1.5)


def test_errors_name_the_op_and_the_users_line() -> None:
    @tf.function
    def product(x: Any) -> Any:
        return tf.matmul(x, x)

    with pytest.raises(InvalidArgumentError, match=r"(?s)matmul.*\[2,3\].*line \d+, in product"):
        product(tf.ones((2, 3)))

    @tf.function
    def item(x: Any, i: Any) -> Any:
        return x[i]

    with pytest.raises(OutOfRangeError, match=r"(?s)get_item.*index 7.*line \d+, in item"):
        item(tf.constant([1, 2]), tf.constant(7))
    with pytest.raises(InvalidArgumentError, match="sum: axis 3"):
        tf.reduce_sum([1], axis=3)


@pytest.mark.parametrize("join", [tf.concat, tf.stack], ids=["concat", "stack"])
def test_the_work_to_join_grows_with_the_number_of_tensors(join) -> None:
    x = tf.ones(2)
    join([x, x], 0)
    assert work(lambda: join([x] * 800, 0)) < 10 * work(lambda: join([x] * 100, 0))
