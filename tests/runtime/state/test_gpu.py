"""What only a GPU can show: `python -m pytest -m gpu tests`. Elsewhere these tests are skipped."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
import types

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import copies

from .waiting import wait_on

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not tf.config.list_physical_devices("GPU"), reason="no GPU here"),
]
GPU, CPU = [f"/job:localhost/replica:0/task:0/device:{name}:0" for name in ("GPU", "CPU")]


@pytest.fixture(autouse=True)
def _memory_grows():
    gpus = tf.config.list_physical_devices("GPU")
    try:
        for each in gpus:
            tf.config.experimental.set_memory_growth(each, True)
    except RuntimeError:  # JAX has started
        pass


def test_devices_are_listed():
    (first, *_) = tf.config.list_physical_devices("GPU")
    assert first.name == "/physical_device:GPU:0"
    assert tf.config.list_logical_devices("GPU")[0].name == "/device:GPU:0" == tf.test.gpu_device_name()
    assert len(tf.config.list_logical_devices("GPU")) == len(tf.config.list_physical_devices("GPU"))
    assert tf.test.is_gpu_available() and tf.test.is_built_with_gpu_support()
    assert tf.config.experimental.get_device_details(first)["device_name"]
    with tf.device("/GPU:0"):
        v = tf.Variable(np.ones((1000, 1000), np.float32))
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] >= 4_000_000
    assert v.device == GPU
    with pytest.raises(ValueError, match="there is no device GPU:99; there are CPU:0"), tf.device("/GPU:99"):
        pass


def test_values_are_where_they_say():
    double = tf.function(lambda x: x * 2)
    with tf.device("/GPU:0"):
        x = double(tf.constant([1.0, 2.0]))
        assert x.device == GPU
        before = copies.count()
        y = double(double(x))
    assert y.device == GPU and copies.count() == before
    assert y.numpy().tolist() == [8, 16] and copies.count().to_host == before.to_host + 1
    with tf.device("/CPU:0"):
        assert double(y).device == CPU
    assert (y + x).device == CPU
    for dtype in (tf.float64, tf.float16, tf.int64, tf.uint8, tf.bool, tf.complex128):
        with tf.device("gpu:0"):
            same = tf.function(lambda x: (x, tf.reverse(x, [0])))(tf.cast([1, 0, 1, 1], dtype))
        assert [each.dtype for each in same] == [dtype] * 2 and same[1].device == GPU
        np.testing.assert_array_equal(same[1].numpy(), same[0].numpy()[::-1])


def test_variables_stay_there():
    with tf.device("/GPU:0"):
        w = tf.Variable(np.eye(64, dtype=np.float32))
    step = tf.function(lambda x: w.assign(tf.tanh(w @ x + w), read_value=False))
    with tf.device("/GPU:0"):
        x = tf.function(lambda x: x * 0.5)(np.eye(64, dtype=np.float32))
        before = copies.count()
        for _ in range(10):
            step(x)
    assert copies.count() == before and w.device == GPU
    expected = np.eye(64, dtype=np.float32)
    for _ in range(10):
        expected = np.tanh(expected * 1.5)
    np.testing.assert_allclose(w.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert copies.count().to_host == before.to_host + 1


def test_functions_run_there_without_being_asked():
    add = tf.function(lambda x: x + 1.0)
    assert [add(tf.constant([1.0, 2.0])).device for _ in range(4)] == [GPU] * 4
    assert tf.function(lambda n: n + 1)(tf.constant(1)).device == CPU
    assert tf.function(tf.strings.as_string)(tf.constant([1.0])).device == CPU


@pytest.fixture
def digits(monkeypatch):
    """The example, with random data where scikit-learn is not installed."""
    if importlib.util.find_spec("sklearn") is None:
        random = np.random.default_rng(0)
        target = random.integers(0, 10, 1797)
        centres = random.uniform(0, 16, (10, 64))
        data = np.clip(centres[target] + random.normal(0, 4, (1797, 64)), 0, 16)
        module = types.ModuleType("sklearn.datasets")
        module.load_digits = lambda: types.SimpleNamespace(data=data, target=target)
        monkeypatch.setitem(sys.modules, "sklearn", types.ModuleType("sklearn"))
        monkeypatch.setitem(sys.modules, "sklearn.datasets", module)
    from examples import digits

    yield digits
    sys.modules.pop("examples.digits", None)


def test_the_training_of_the_digits_is_that_of_the_cpu(digits):
    train = tf.function(digits.train)
    arguments = digits.training_arguments(digits.load())
    with tf.device("/CPU:0"):
        layers, loss, epochs = train(*arguments)
    with tf.device("/GPU:0"):
        there, loss_there, epochs_there = train(*arguments)
        assert "an XLA program on GPU:0" in train.get_concrete_function(*arguments).compiled
    assert loss_there.device == GPU and epochs_there == epochs
    np.testing.assert_allclose(loss_there.numpy(), loss.numpy(), rtol=1e-3)
    for want, got in zip(layers, there, strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=0, atol=2e-3)


def test_gradients_and_keras():
    x = np.random.default_rng(0).normal(size=(256, 10)).astype(np.float32)
    y = x[:, :1] * 2 - x[:, 1:2]

    def train():
        tf.keras.utils.set_random_seed(3)
        model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.Adam(0.01), loss="mse")
        return model.fit(x, y, batch_size=32, epochs=4, shuffle=False, verbose=0).history["loss"], model

    with tf.device("/CPU:0"):
        losses, _ = train()
    with tf.device("/GPU:0"):
        found, model = train()
    np.testing.assert_allclose(found, losses, rtol=1e-4)
    assert {each.device for each in model.trainable_variables} == {GPU}
    loss = tf.function(lambda x: tf.reduce_mean(model(x) ** 2))
    with tf.device("/GPU:0"), tf.GradientTape() as tape:
        value = loss(x)
    with tf.device("/GPU:0"):
        gradients = tape.gradient(value, model.trainable_variables)
    assert {each.device for each in gradients} == {GPU}


def test_loops_branches_lists_and_errors():
    @tf.function
    def collatz(n, most):
        found = []
        while n != 1:
            assert len(found) < most, "too long"
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            found.append(n)
        return tf.stack(found)

    with tf.device("/GPU:0"):
        assert collatz(tf.constant(6), tf.constant(100)).numpy().tolist() == [3, 10, 5, 16, 8, 4, 2, 1]
        with pytest.raises(AssertionError, match="too long"):
            collatz(tf.constant(27), tf.constant(50))
        with pytest.raises(tf.errors.OutOfRangeError, match="index 5 is not in"):
            tf.function(lambda x, i: tf.gather(x, i))([1.0, 2.0], 5)


def test_dlpack():
    jax = pytest.importorskip("jax")
    from_dlpack = tf.experimental.dlpack.from_dlpack
    with tf.device("/GPU:0"):
        x = tf.function(lambda x: x * 2.0)(tf.constant([1.0, 2.0]))
    assert x.__dlpack_device__() == (2, 0)
    theirs = jax.dlpack.from_dlpack(x)
    assert theirs.device.platform == "gpu" and theirs.tolist() == [2, 4]
    before = copies.count()
    mine = tf.convert_to_tensor(jax.device_put(np.float32([3, 4]), jax.devices("gpu")[0]))
    assert mine.device == GPU
    with tf.device("/GPU:0"):
        both = tf.function(lambda x, y: x + y)(x, mine)
    assert copies.count() == before and both.numpy().tolist() == [5, 8]
    assert from_dlpack(tf.experimental.dlpack.to_dlpack(x)).device == GPU


def test_dlpack_with_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU here")
    with tf.device("/GPU:0"):
        x = tf.function(lambda x: x * 2.0)(tf.constant([1.0, 2.0]))
    theirs = torch.from_dlpack(x)
    assert theirs.is_cuda and theirs.tolist() == [2, 4]
    theirs.add_(1)
    torch.cuda.synchronize()
    assert x.numpy().tolist() == [2, 4]
    before = copies.count()
    mine = [tf.experimental.dlpack.from_dlpack(theirs)]
    theirs.add_(1)
    mine.append(tf.convert_to_tensor(theirs))
    theirs.add_(1)
    assert [each.device for each in mine] == [GPU] * 2 and copies.count() == before
    torch.cuda.synchronize()
    assert [each.numpy().tolist() for each in mine] == [[3, 5], [4, 6]]
    shared = torch.from_dlpack(x, copy=False)
    assert shared.data_ptr() == torch.from_dlpack(x, copy=False).data_ptr()


def test_ctrl_c_ends_a_loop():
    @tf.function
    def turn(x, n):
        while n > 0:
            x = x * 1.5 - x
            n -= 1
        return x

    with tf.device("/GPU:0"):
        turn(1.0, tf.constant(3))
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            turn(1.0, tf.constant(2_000_000_000))
        assert turn(1.0, tf.constant(0)) == 1.0


def test_a_loop_may_wait_for_another_thread():
    wait_on("/GPU:0", 3.0)
