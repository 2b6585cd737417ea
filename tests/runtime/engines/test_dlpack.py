"""DLPack: tensors for other libraries, and tensors of theirs, without copies where nothing can change behind one."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autograph as tf
from tests.runtime.state.apart import apart

from_dlpack, to_dlpack = tf.experimental.dlpack.from_dlpack, tf.experimental.dlpack.to_dlpack


def address(array):
    return array.__array_interface__["data"][0]


def test_numpy_reads_the_memory_of_a_tensor():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = np.from_dlpack(x)
    assert address(array) == address(np.asarray(x)) and x.__dlpack_device__() == (1, 0)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 7
    expected = x.numpy()
    del x
    gc.collect()
    np.testing.assert_array_equal(array, expected)
    copy = np.from_dlpack(tf.constant([1]), copy=True)
    assert copy.tolist() == [1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool", "complex64"])
def test_element_types(dtype):
    x = tf.cast([[1, 0], [2, 3]], dtype)
    np.testing.assert_array_equal(np.from_dlpack(x), x.numpy())
    back = from_dlpack(np.asarray(x.numpy()))
    assert back.dtype == x.dtype and back.shape == x.shape
    np.testing.assert_array_equal(back.numpy(), x.numpy())


def test_who_owns_the_memory_does_not_change_a_tensor():
    array = np.array([1.0, 2.0])
    x = from_dlpack(array)
    array[0] = 7
    assert x.numpy().tolist() == [1, 2]
    shared = from_dlpack(array, copy=False)
    assert address(np.asarray(shared)) == address(array)
    assert from_dlpack(x) is x and from_dlpack(np.array(3)).shape == ()


def test_capsules():
    x = tf.constant([1, 2, 3])
    capsule = to_dlpack(x)
    assert type(capsule).__name__ == "PyCapsule"
    assert from_dlpack(capsule).numpy().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="can be used only once"):
        from_dlpack(capsule)
    assert from_dlpack(to_dlpack([[1.5]])).shape == (1, 1)
    assert from_dlpack(np.arange(4)[::2].__dlpack__(max_version=(1, 0))).numpy().tolist() == [0, 2]


def test_what_can_not_be_exchanged():
    for wrong in (3, "text", None):
        with pytest.raises(TypeError, match="has a method __dlpack__"):
            from_dlpack(wrong)
    with pytest.raises(TypeError, match="no element type string"):
        np.from_dlpack(tf.constant("text"))
    with pytest.raises(TypeError, match="has a method __dlpack__"):
        tf.function(lambda x: from_dlpack(x), autograph=False)(1.0)
    for takes in (np.from_dlpack, to_dlpack):
        with pytest.raises(AttributeError, match="its value is known only when the graph runs"):
            tf.function(lambda x, takes=takes: takes(x))(tf.constant(1.0))
    tf.function(lambda x: tf.debugging.assert_equal(hasattr(x, "__dlpack__"), False))(tf.constant(1.0))
    assert not hasattr(3, "__dlpack__") and hasattr(tf.constant(3), "__dlpack__")


def test_jax():
    jax = pytest.importorskip("jax")
    array = jax.numpy.arange(4, dtype="float32")
    for x in (tf.convert_to_tensor(array), from_dlpack(array)):
        assert address(np.asarray(x)) == array.unsafe_buffer_pointer(), "it never changes"
        assert x.dtype is tf.float32 and (x + 1).numpy().tolist() == [1, 2, 3, 4]
    assert tf.convert_to_tensor(array, tf.float64).dtype is tf.float64
    there = jax.dlpack.from_dlpack(tf.constant([1.0, 2.0]))
    assert isinstance(there, jax.Array) and there.tolist() == [1, 2]
    low = tf.function(lambda x: x * 2)(array)
    assert low.numpy().tolist() == [0, 2, 4, 6]


def test_torch():
    torch = pytest.importorskip("torch")
    x = tf.constant([1.0, 2.0])
    torch.from_dlpack(x).add_(1)
    torch.utils.dlpack.from_dlpack(to_dlpack(x)).add_(1)
    assert x.numpy().tolist() == [1, 2], "torch writes to memory that it may only read"
    assert torch.from_dlpack(x, copy=False).data_ptr() == address(np.asarray(x))
    theirs = torch.arange(6, dtype=torch.int64).reshape(2, 3).T
    mine = from_dlpack(theirs)
    theirs.add_(1)
    assert mine.numpy().tolist() == [[0, 3], [1, 4], [2, 5]]


@apart()
def test_of_devices():
    import jax

    with tf.device("CPU:1"):
        x = tf.function(lambda x: x * 2)(tf.constant([1.0, 2.0]))
    array = np.from_dlpack(x)
    assert array.tolist() == [2, 4] and not array.flags.writeable
    assert jax.dlpack.from_dlpack(x).tolist() == [2, 4]
    assert from_dlpack(to_dlpack(x)).numpy().tolist() == [2, 4]
    with jax.enable_x64(True):
        theirs = jax.device_put(np.arange(3.0), jax.devices()[2])
    x = tf.convert_to_tensor(theirs)
    from autograph.runtime.base import copies

    before = copies.count()
    with tf.device("CPU:2"):
        y = tf.function(lambda x: x + 1)(x)
    assert y.device.endswith("CPU:2") and copies.count() == before, "it is there already"
    assert y.dtype is tf.float64 and y.numpy().tolist() == [1, 2, 3]
