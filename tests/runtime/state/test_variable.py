"""Variables outside of graphs: names, reprs, errors and results as TensorFlow's."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError


def test_reprs_are_those_of_tensorflow() -> None:
    v = tf.Variable(1)
    assert repr(v) == str(v) == "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=1>"
    w = tf.Variable([[1.0, 2], [3, 4]], name="w")
    assert repr(w) == (
        "<tf.Variable 'w:0' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)>"
    )  # fmt: skip
    assert repr(v.assign(3)) == "<tf.Variable 'UnreadVariable' shape=() dtype=int32, numpy=3>"
    assert repr(tf.Variable("abc")) == "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'abc'>"
    open_shape = tf.Variable([1, 2], shape=tf.TensorShape([None]))
    assert repr(open_shape) == "<tf.Variable 'Variable:0' shape=(None,) dtype=int32, numpy=array([1, 2], dtype=int32)>"
    assert repr(v.ref()) == f"<Reference wrapping {v!r}>"


def test_attributes() -> None:
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    assert (v.name, v.dtype, v.shape, v.trainable) == ("v:0", tf.float32, (2,), False)
    assert tf.Variable(1).trainable is True
    assert tf.Variable(1, dtype=tf.float32).dtype == tf.float32
    assert tf.Variable(np.array([1], np.int8)).dtype == tf.int8
    assert tf.Variable(1.0, validate_shape=False).shape == tf.TensorShape(None)
    assert float(tf.Variable(lambda: 3.0)) == 3
    assert not isinstance(v, tf.Tensor)


def test_names_follow_scopes() -> None:
    with tf.name_scope("outer"), tf.name_scope("inner"):
        assert tf.Variable(1, name="v").name == "outer/inner/v:0"
    assert tf.Variable(1, name="v").name == "v:0"


def test_assignments_return_the_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    result = v.assign_add([1.0, 1.0])
    np.testing.assert_array_equal(result, [2, 3])
    v.assign([5.0, 5.0])
    np.testing.assert_array_equal(result, [5, 5])  # it is the variable, not a copy
    np.testing.assert_array_equal(result.assign_sub([1.0, 2.0]), [4, 3])
    assert v.assign([0.0, 0.0], read_value=False) is None
    np.testing.assert_array_equal(v.assign(np.array([1.5, 2.5])), [1.5, 2.5])  # float64 arrays are converted


def test_a_variable_follows_its_shape() -> None:
    v = tf.Variable([1, 2], shape=[None])
    assert v.assign([1, 2, 3]).shape == (None,)
    assert v.numpy().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="Shape mismatch. The variable shape"):
        v.assign([[1]])
    with pytest.raises(ValueError, match=r"initial value's shape \(\(2,\)\) is not compatible .* \(\(3,\)\)"):
        tf.Variable([1, 2], shape=(3,))


@pytest.mark.parametrize(
    "act, error, match",
    [
        (
            lambda v: v.assign_sub(1.0),
            InvalidArgumentError,
            r"shape \[2,2\] using a Tensor with shape \[\]",
        ),
        (lambda v: v.assign([1, 2]), ValueError, "Cannot assign value to variable 'w:0': Shape mismatch"),
        (lambda v: v.assign(tf.constant([[1, 2], [3, 4]])), ValueError, "requested dtype float32 for Tensor with"),
        (hash, TypeError, r"Variable is unhashable. Instead, use variable.ref\(\) as the key. \(Variable: <tf.Var"),
        (bool, ValueError, "the truth of a tensor of shape .* is ambiguous"),
        (lambda v: v.__iadd__(1), RuntimeError, r"Use `variable.assign_add\(value\)` to modify the variable"),
        (lambda v: v.__setitem__(0, 1), TypeError, r"write v\[key\].assign\(value\)"),
        (lambda v: v.scatter_add(3), TypeError, "sparse_delta is not IndexedSlices"),
        (lambda v: tf.Variable(), ValueError, "`initial_value` arg to `tf.Variable` must be specified"),
        (lambda v: tf.Variable(1.5, dtype=tf.int32), TypeError, "Cannot convert 1.5"),
        (lambda v: v[0] + v[5], IndexError, "out of bounds"),
    ],
)
def test_wrong_uses(act: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        act(tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"))


def test_slices_can_be_assigned() -> None:
    v = tf.Variable([[1.0, 1.0], [1.0, 1.0]])
    v[0].assign([9, 9])
    v[0, 1].assign(5.0)
    v[:, 1].assign(3.0)
    np.testing.assert_array_equal(v, [[9, 3], [1, 3]])
    v[1].assign_add([1.0, 1.0])
    np.testing.assert_array_equal(v[1].assign_sub([0.0, 4.0]), [[9, 3], [2, 0]])
    with pytest.raises(AttributeError, match="assign"):
        (v[0] + 1).assign([1.0, 1.0])


def test_rows_and_points_can_be_scattered() -> None:
    v = tf.Variable(np.ones((3, 2), np.float32))
    rows = tf.IndexedSlices(tf.constant([[7.0, 8.0]]), [1])
    np.testing.assert_array_equal(v.scatter_update(rows), [[1, 1], [7, 8], [1, 1]])
    np.testing.assert_array_equal(v.scatter_add(rows)[1], [14, 16])
    np.testing.assert_array_equal(v.scatter_sub(rows)[1], [7, 8])
    np.testing.assert_array_equal(v.scatter_min(tf.IndexedSlices(tf.constant([[9.0, 0.0]]), [1]))[1], [7, 0])
    np.testing.assert_array_equal(v.scatter_max(tf.IndexedSlices(tf.constant([[9.0, 0.0]]), [1]))[1], [9, 0])
    np.testing.assert_array_equal(v.scatter_nd_update([[0, 0]], [100.0])[0], [100, 1])
    np.testing.assert_array_equal(v.scatter_nd_add([[0, 0], [0, 0]], [1.0, 2.0])[0], [103, 1])
    np.testing.assert_array_equal(v.gather_nd([[0, 0]]), [103])
    np.testing.assert_array_equal(v.sparse_read([1]), [[9, 0]])
    dense = tf.IndexedSlices(tf.constant([[7.0, 8.0]]), [1], [2, 2])
    np.testing.assert_array_equal(tf.convert_to_tensor(dense), [[0, 0], [7, 8]])


def test_a_variable_goes_wherever_a_tensor_goes() -> None:
    v, x = tf.Variable([1.0, 2.0]), tf.constant([10.0, 20.0])
    for result in (v + x, x + v, np.add(v, x), tf.reduce_sum([v, x], axis=0)):
        np.testing.assert_array_equal(result, [11, 22])
    np.testing.assert_array_equal(3 - v, [2, 1])
    np.testing.assert_array_equal(-v, [-1, -2])
    np.testing.assert_array_equal(v > 1, [False, True])
    np.testing.assert_array_equal(np.concatenate([v, v]), [1, 2, 1, 2])
    np.testing.assert_array_equal(tf.concat([v, x], 0), [1, 2, 10, 20])
    assert [float(row) for row in v] == [1, 2] and len(v) == 2 and 2.0 in v
    assert [10, 20, 30][tf.Variable(1)] == 20 and bool(tf.Variable(True)) and int(tf.Variable(2)) == 2
    assert f"{tf.Variable(2.5):.2f}" == "2.50"
    assert (v == None) is False and (v != None) is True  # noqa: E711
    kept = v.value()
    v.assign([0.0, 0.0])
    np.testing.assert_array_equal(kept, [1, 2])
    array = np.ones(2, np.float32)
    v.assign(array)
    array[0] = 9
    np.testing.assert_array_equal(v, [1, 1])


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "=="])
@pytest.mark.parametrize("staged", [False, True])
def test_operators_are_those_of_tensors(operator: str, staged: bool) -> None:
    numbers = np.array([[5.0, 3.0], [2.0, 4.0]], np.float32)
    if operator in ("&", "|", "^", "<<", ">>"):
        numbers = numbers.astype(np.int32)
    v, other = tf.Variable(numbers), numbers[::-1].copy()

    def both_sides() -> Any:
        return eval(f"v {operator} other, other {operator} v", {"v": v, "other": tf.constant(other)})

    left, right = (tf.function(both_sides) if staged else both_sides)()
    expected = eval(f"v {operator} other, other {operator} v", {"v": numbers, "other": other})
    np.testing.assert_allclose((left, right), expected, rtol=1e-6)


def test_copies_have_values_of_their_own() -> None:
    v = tf.Variable([1.0], name="v", trainable=False)
    assert copy.copy(v) is v
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert (other.name, other.trainable) == ("v:0", False)
        other.assign([2.0])
    assert float(v[0]) == 1


def test_variables_go_with_their_last_use() -> None:
    v = tf.Variable([1.0])
    v[0].assign(2.0)
    gone = weakref.ref(v)
    del v
    assert gone() is None


def test_traces_keep_no_instance_alive() -> None:
    class Model:
        def __init__(self) -> None:
            self.v = tf.Variable(0.0)

        @tf.function
        def add(self, x: Any) -> Any:
            return self.v.assign_add(x)

    model = Model()
    assert float(model.add(tf.constant(2.0))) == 2
    gone = weakref.ref(model), weakref.ref(model.v)
    del model
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_threads_lose_no_step() -> None:
    v = tf.Variable(0)

    @tf.function
    def count() -> None:
        for _ in tf.range(500):
            v.assign_add(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(v) == 2000


def test_gradients_of_variables() -> None:
    v, fixed = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * fixed
    assert [None if g is None else float(g) for g in tape.gradient(y, [v, fixed])] == [12, None]
