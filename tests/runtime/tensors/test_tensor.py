"""Tensors from the user's side: making them, operators, how they print, what they refuse."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, StagedValueError, StagingError

REPRS = [
    (2, "tf.Tensor(2, shape=(), dtype=int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    (1.5, "tf.Tensor(1.5, shape=(), dtype=float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
    ("aa", "tf.Tensor(b'aa', shape=(), dtype=string)", "<tf.Tensor: shape=(), dtype=string, numpy=b'aa'>"),
    (True, "tf.Tensor(True, shape=(), dtype=bool)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    (1 + 2j, "tf.Tensor((1+2j), shape=(), dtype=complex128)", "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>"),
    ([1, 2], "tf.Tensor([1 2], shape=(2,), dtype=int32)",
     "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ([[1, 2], [3, 4]], "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)",
     "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>"),
    (["a", "b"], "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)",
     "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text", "shown"), REPRS)
def test_prints_as_tensorflow(value: Any, text: str, shown: str) -> None:
    tensor = tf.constant(value)
    assert str(tensor) == text and repr(tensor) == shown


def test_graph_tensors_print_as_in_tensorflow() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1, 2])
        y = x + x
    assert str(x) == 'Tensor("Const:0", shape=(2,), dtype=int32)'
    assert repr(y) == "<tf.Tensor 'add:0' shape=(2,) dtype=int32>"
    assert y.name == "add:0" and y.op.name == "add" and y.graph is graph and y.dtype == np.int32


DTYPES = [
    (1, tf.int32), (2**31, tf.int64), (1.0, tf.float32), (True, tf.bool), ("a", tf.string), (b"a", tf.string),
    ([1, 2.5], tf.float32), ([], tf.float32), (range(3), tf.int32),
    (np.ones(2), tf.float64), (np.float16(1), tf.float16),
    ([np.float64(1), 2], tf.float64), (np.array(["a"]), tf.string), (1j, tf.complex128), ((1, (2)), tf.int32),
    ([True, False], tf.bool), (tf.TensorShape([2, 3]), tf.int32), (np.array([1], ">i2"), tf.int16),
]  # fmt: skip


@pytest.mark.parametrize(("value", "dtype"), DTYPES)
def test_dtype_of_constants(value: Any, dtype: Any) -> None:
    assert tf.constant(value).dtype is dtype


def test_constant_with_dtype_and_shape() -> None:
    assert tf.constant(1, tf.float64).numpy() == np.float64(1) and tf.constant(True, tf.int32).numpy() == 1
    assert tf.constant(7, shape=(2, 2)).numpy().tolist() == [[7, 7], [7, 7]]
    assert tf.constant(range(4), shape=(2, 2)).numpy().tolist() == [[0, 1], [2, 3]]


BAD = [
    (lambda: tf.constant(1.5, tf.int32), TypeError, "Cannot convert 1.5"),
    (lambda: tf.constant(1, tf.bool), TypeError, "Cannot convert"),
    (lambda: tf.constant(300, tf.int8), InvalidArgumentError, "out of bounds"),
    (lambda: tf.constant(-1, tf.uint8), InvalidArgumentError, "out of bounds"),
    (lambda: tf.constant([[1], [1, 2]]), ValueError, "non-rectangular"),
    (lambda: tf.constant("a", tf.int32), TypeError, "Cannot convert"),
    (lambda: tf.constant(None), ValueError, "Attempt to convert a value \\(None\\)"),
    (lambda: tf.constant(object()), ValueError, "unsupported type"),
    (lambda: tf.constant([1, 2], shape=(3,)), TypeError, "do not fill"),
    (lambda: tf.constant([1, "a"]), TypeError, "Cannot convert"),
    (lambda: tf.convert_to_tensor(tf.constant(1), tf.float32), ValueError,
     "Tensor conversion requested dtype float32 for Tensor with dtype int32"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "text"), BAD)
def test_what_is_no_tensor(make: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make()


def test_objects_convert_through_their_method() -> None:
    class Half:
        def __tensor__(self) -> Any:
            return tf.constant(0.5)

    assert tf.convert_to_tensor(Half()).numpy() == 0.5
    assert (tf.constant(1.0) + Half()).numpy() == 1.5
    assert tf.convert_to_tensor([Half(), 2.0]).numpy().tolist() == [0.5, 2.0]


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, divmod,
]  # fmt: skip
OPERANDS = [np.array([7, -7, 3]), np.array([2, 3, -2]), np.float32([1.5, 2, 4]), np.uint32([5]), 2, 2.5]


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_operators_are_numpys(function: Callable[..., Any]) -> None:
    for a in OPERANDS:
        for b in OPERANDS:
            if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
                continue
            expected = function(a, b)
            x, y = (tf.constant(x) if isinstance(x, np.ndarray) else x for x in (a, b))
            check_equal(function(x, y), expected)


def check_equal(result: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for part, wanted in zip(result, expected, strict=True):
            check_equal(part, wanted)
        return
    assert isinstance(result, tf.Tensor) and result.dtype == expected.dtype
    np.testing.assert_array_equal(result.numpy(), expected)


def test_bits_powers_and_signs() -> None:
    x, y = tf.constant([6, 3]), tf.constant([True, False])
    assert (
        (x & 2).numpy().tolist() == [2, 2] and (1 | x).numpy().tolist() == [7, 3] and (x ^ x).numpy().tolist() == [0, 0]
    )
    assert (
        (x << 1).numpy().tolist() == [12, 6]
        and (x >> 1).numpy().tolist() == [3, 1]
        and (~y).numpy().tolist() == [False, True]
    )
    assert (x**2).numpy().tolist() == [36, 9] and (2**x).numpy().tolist() == [64, 8]
    assert (-x).numpy().tolist() == [-6, -3] and abs(-x).numpy().tolist() == [6, 3] and (+x) is x
    assert (x @ x).numpy() == 45 and ([1, 1] @ x).numpy() == 9 and (np.array([1, 1]) @ x).numpy() == 9


def test_weak_numbers_and_lists() -> None:
    x = tf.constant([1.0, 2.0])
    assert (x + [1, 2]).dtype is tf.float32 and ([1, 2] + x).dtype is tf.float32 and (x * 2).dtype is tf.float32
    assert (tf.constant(1) * 0.5).dtype is tf.float64 and (tf.constant(1, tf.int8) + 1).dtype is tf.int8
    assert (x + np.ones(2)).dtype is tf.float32 and (np.ones(2) + x).dtype is tf.float32
    with pytest.raises(InvalidArgumentError, match="out of bounds"):
        tf.constant(1, tf.int8) + 300


def test_strings_add_up_and_compare() -> None:
    a = tf.constant(["a", "b"])
    assert (a + a).numpy().tolist() == [b"aa", b"bb"] and (a == "a").numpy().tolist() == [True, False]
    assert (tf.constant("x") + "\0").numpy() == b"x\0"
    with pytest.raises(TypeError, match="no common type"):
        a + 1


def test_wrong_shapes() -> None:
    with pytest.raises(InvalidArgumentError, match="broadcast"):
        tf.constant([1, 2]) + tf.constant([1, 2, 3])


def test_indexing() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    tensor = tf.constant(array)
    keys: list[Any] = [0, -1, slice(1), (0, slice(None, None, -1)), (Ellipsis, 1), (None, 0, 1), (1, [0, 2]), array > 5]
    for key in keys:
        np.testing.assert_array_equal(tensor[key].numpy(), array[key])
    assert tensor[tf.constant(1), tf.constant(2), tf.constant(3)].numpy() == 23
    assert tensor[tensor > 20].numpy().tolist() == [21, 22, 23]


def test_item_assignment_outside_converted_code() -> None:
    tensor = tf.constant([1, 2])
    with pytest.raises(TypeError, match="tensor_scatter_nd_update"):
        tensor[0] = 3


def test_eager_values_are_pythons() -> None:
    x = tf.constant([3, 4])
    assert len(x) == 2 and [int(v) for v in x] == [3, 4] and 3 in x and 5 not in x
    assert float(tf.constant(1.5)) == 1.5 and complex(tf.constant(1j)) == 1j and bool(tf.constant(0)) is False
    assert ["a", "b"][tf.constant(1)] == "b" and list(range(tf.constant(2))) == [0, 1]
    assert f"{tf.constant(1.5):.3f}" == "1.500" and f"{tf.constant(1.5)}" == "1.5"
    assert [str(s) for s in tf.constant(["a"])] == ["tf.Tensor(b'a', shape=(), dtype=string)"]
    for refused in (lambda: int(x), lambda: len(tf.constant(1)), lambda: list(tf.constant(1)),
                    lambda: [1, 2][tf.constant(1.0)], lambda: {x: 1}):  # fmt: skip
        with pytest.raises(TypeError):
            refused()
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)


def test_identity_hash_and_copies() -> None:
    x = tf.constant([1, 2])
    assert {x.ref(): "found"}[x.ref()] == "found" and x.ref().deref() is x and x.ref() != tf.constant([1, 2]).ref()
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert copy.deepcopy(x) is x and pickle.loads(pickle.dumps(x)).numpy().tolist() == [1, 2]
    assert (x == None) is False and (x != None) is True and (x == object()) is False  # noqa: E711


def test_the_value_can_not_be_changed_from_outside() -> None:
    array = np.array([1, 2])
    x = tf.constant(array)
    array[0] = 9
    copied = x.numpy()
    copied[0] = 8
    assert x.numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 7


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (bool, "bool"), (int, "int"), (float, "float"), (complex, "complex"), (len, "len"),
    (lambda x: list(x + [1, 2]), "iterable"),
    (np.asarray, "NumPy array"), (lambda x: [1, 2][x], "index"), (range, "index"), (lambda x: 1 in x, "`in`"),
    (lambda x: 1 if x > 0 else 2, "bool"),
]  # fmt: skip


@pytest.mark.parametrize(("use", "text"), REFUSED)
def test_python_can_not_look_into_graph_tensors(use: Callable[[Any], Any], text: str) -> None:
    with tf.Graph().as_default():
        x = tf.constant(1) + 1
        with pytest.raises(StagedValueError, match=text) as caught:
            use(x)
    assert caught.value.file == __file__ and caught.value.line and caught.value.remedy
    assert isinstance(caught.value, TypeError)


def test_a_graph_tensor_has_no_numpy_by_which_libraries_tell_eager_ones() -> None:
    assert hasattr(tf.constant(1), "numpy")
    with tf.Graph().as_default():
        x = tf.constant(1) + 1
        assert not hasattr(x, "numpy")
        with pytest.raises(AttributeError, match="only when the graph runs") as caught:
            x.numpy()
    assert isinstance(caught.value, tf.errors.StagedAttributeError) and "tf.print" in (caught.value.remedy or "")


def test_a_tensor_outside_its_graph() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1) + 1
    with pytest.raises(StagingError, match="outside the graph") as caught:
        x + 1
    assert caught.value.file == __file__ and caught.value.remedy
    with tf.Graph().as_default(), pytest.raises(StagingError, match="outside the graph"):
        x + 1


def test_errors_in_a_trace_name_the_users_line() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1, 2])
        with pytest.raises(InvalidArgumentError, match="broadcast") as caught:
            x + [1, 2, 3]
    assert (
        caught.value.file == __file__ and caught.value.function == test_errors_in_a_trace_name_the_users_line.__name__
    )


def test_a_power_with_a_modulus_is_refused() -> None:
    assert pow(tf.constant(5), 2).numpy() == 25
    with pytest.raises(tf.errors.InvalidTypeError, match="takes no modulus"):
        pow(tf.constant(5), 2, 7)


def test_a_shape_can_be_told() -> None:
    x = tf.ones((2, 3))
    x.set_shape((None, 3))
    with pytest.raises(ValueError, match=r"Tensor's shape \(2, 3\) is not compatible with supplied shape \(3,\)"):
        x.set_shape([3])

    @tf.function
    def f(x: Any, rows: Any) -> Any:
        (y,) = tf.numpy_function(lambda v: [v * 2], [x], [tf.float32])
        y.set_shape([rows, 3])
        with pytest.raises(ValueError, match=r"Tensor's shape \(2, 3\) is not compatible"):
            y.set_shape([2, 4])
        assert y.shape == (rows, 3)
        if tf.reduce_sum(y) > 0:
            y = tf.numpy_function(lambda v: v + 1, [y], tf.float32)
            y.set_shape([None, 3])
        assert y.shape.as_list() == [None, 3]
        return y

    np.testing.assert_array_equal(f(x, 2), np.full((2, 3), 3.0))
    with pytest.raises(InvalidArgumentError, match=r"\[3,3\] is not compatible with \[2,3\]"):
        f(tf.ones((3, 3)), 2)


def test_gradients_go_through_told_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            y.set_shape([2])
            total = tf.reduce_sum(y * x)
        assert y.shape == (2,)
        return tape.gradient(total, x)

    np.testing.assert_allclose(f(tf.constant([1.0, 2.0])), [3, 12])


def test_values_are_on_the_processor() -> None:
    assert tf.constant(1).device == tf.Variable(1).device == "/job:localhost/replica:0/task:0/device:CPU:0"
    devices = []
    tf.function(lambda x: devices.append(x.device), autograph=False)(1.0 * tf.constant(2))
    assert devices == [""]
