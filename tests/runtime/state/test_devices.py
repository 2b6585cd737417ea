"""Devices: choosing them, where values are, when they are copied. On virtual devices of the CPU; see test_gpu.py."""

from __future__ import annotations

import glob
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import autograph as tf
from autograph.runtime.base import copies
from autograph.runtime.engines.xla import machine

from .apart import ROOT, apart
from .waiting import wait_on

NAME = "/job:localhost/replica:0/task:0/device:{}"


def test_without_a_wish_nothing_loads_jax():
    code = (
        "import sys, autograph as tf\n"
        "assert [each.name for each in tf.config.list_logical_devices()] == ['/device:CPU:0']\n"
        "assert tf.config.list_physical_devices('GPU') == tf.config.list_logical_devices('GPU') == []\n"
        "assert not tf.test.is_gpu_available() and tf.test.gpu_device_name() == ''\n"
        "with tf.device('/CPU:0'):\n"
        "    x = tf.function(lambda x: x + 1)(tf.Variable(1.0))\n"
        "try:\n"
        "    tf.device('/GPU:0').__enter__()\n"
        "except ValueError as error:\n"
        "    assert 'there is no device GPU:0; there are CPU:0' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
        "assert 'jax' not in sys.modules\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AUTOGRAPH_")}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env={**kept, "JAX_PLATFORMS": "cpu"})


@pytest.mark.parametrize(("platforms", "visible", "count"), [
    ("", None, 2), ("cuda,cpu", None, 2), ("gpu", "1", 1), ("cpu", None, 0), ("rocm", None, 0), ("", "0,-1,1", 1),
])  # fmt: skip
def test_gpus_are_counted_as_jax_and_cuda_read_the_environment(platforms, visible, count, monkeypatch):
    monkeypatch.setattr(machine, "is_installed", lambda library: library == "jax")
    monkeypatch.setattr(machine, "has_plugin", lambda name: name == "cuda")
    monkeypatch.setattr(glob, "glob", lambda path: ["/dev/nvidia0", "/dev/nvidia1"])
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    monkeypatch.setenv("JAX_PLATFORMS", platforms)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert machine.gpus_seen() == count and machine.has_sign("GPU") == (count > 0 or platforms == "rocm")


def test_names():
    for name in (None, "/CPU:0", "cpu", "/device:CPU:0", "CPU:*", NAME.format("CPU:0"), "/job:localhost"):
        with tf.device(name):
            assert tf.function(lambda x: x + 1)(tf.constant(1)).device == NAME.format("CPU:0")
    for name in ("bla", "/XYZ:0", "/CPU:x", "3"):
        with pytest.raises(ValueError, match="Unknown attribute"), tf.device(name):
            pass
    for name in ("/GPU:7", "/TPU:0", "CPU:99"):
        with pytest.raises(ValueError, match="there is no device"), tf.device(name):
            pass
    with pytest.raises(ValueError, match="unknown device"), tf.device("/job:worker/task:1/CPU:0"):
        pass
    with pytest.raises(RuntimeError, match="does not support functions"), tf.device(lambda op: "/CPU:0"):
        pass


def test_the_cpu_stands_in_where_that_is_asked_for():
    assert not tf.config.get_soft_device_placement()
    tf.config.set_soft_device_placement(True)
    try:
        with tf.device("/GPU:7"):
            assert tf.Variable(1).device == NAME.format("CPU:0")
    finally:
        tf.config.set_soft_device_placement(False)


@apart(3)
def test_lists_of_devices():
    (cpu,) = tf.config.list_physical_devices("CPU")
    assert "jax" not in sys.modules
    assert tf.config.get_logical_device_configuration(cpu) == [tf.config.LogicalDeviceConfiguration()] * 3
    names = ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]
    assert [each.name for each in tf.config.list_logical_devices()] == names
    assert tf.config.list_physical_devices() == tf.config.get_visible_devices() == [cpu]
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being initialized"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.experimental.get_memory_info("CPU:1") == {"current": 0, "peak": 0}
    with pytest.raises(ValueError, match="there is no device CPU:3; there are CPU:0, CPU:1, CPU:2"), tf.device("CPU:3"):
        pass
    with tf.device(tf.config.list_logical_devices()[2]):
        assert tf.Variable(1.0).device == NAME.format("CPU:2")


@apart(0)
def test_what_can_not_be_set():
    (cpu,) = tf.config.list_physical_devices("CPU")
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    tf.config.set_logical_device_configuration(cpu, None)
    assert tf.config.get_logical_device_configuration(cpu) is None
    for wrong in (tf.config.LogicalDeviceConfiguration(1024), tf.config.LogicalDeviceConfiguration(None, 3)):
        with pytest.raises(ValueError, match="not supported"):
            tf.config.set_logical_device_configuration(cpu, [wrong])
    for refused in (
        lambda: tf.config.experimental.set_memory_growth(cpu, True),
        lambda: tf.config.experimental.get_memory_growth(cpu),
        lambda: tf.config.set_visible_devices([], "CPU"),
        lambda: tf.config.set_logical_device_configuration(tf.config.PhysicalDevice("GPU:0", "GPU"), two),
        lambda: tf.config.experimental.get_memory_info("GPU:0"),
    ):
        with pytest.raises(ValueError):
            refused()
    for refused in (
        lambda: tf.config.experimental.enable_tensor_float_32_execution(True),
        lambda: tf.config.experimental.set_device_policy("explicit"),
    ):
        with pytest.raises(NotImplementedError):
            refused()
    import jax

    jax.devices()
    with pytest.raises(RuntimeError, match="JAX has started"):
        tf.config.set_logical_device_configuration(cpu, two)


@tf.function
def scaled(x, y):
    while tf.reduce_sum(x) < 100.0:
        x = x * 2.0 + y
    return x, tf.reduce_sum(x)


@apart()
def test_functions_run_where_they_are_called():
    x, y = tf.constant([1.0, 2.0]), tf.constant([0.5, 0.5])
    expected = [each.numpy() for each in scaled(x, y)]
    before = scaled.experimental_get_tracing_count()
    for name in ("CPU:1", "/CPU:2"):
        with tf.device(name):
            results = scaled(x, y)
        for want, got in zip(expected, results, strict=True):
            assert got.device == NAME.format(name.strip("/")) and isinstance(got, tf.Tensor)
            np.testing.assert_array_equal(got.numpy(), want)
    assert scaled.experimental_get_tracing_count() == before, "one trace serves all devices"
    with tf.device("CPU:1"), tf.device(None):
        assert scaled(x, y)[0].device == NAME.format("CPU:0")
    with tf.device("CPU:1"), tf.device("/job:localhost"):
        assert scaled(x, y)[0].device == NAME.format("CPU:1")
        concrete = scaled.get_concrete_function(x, y)
    assert concrete(x, y)[0].device == NAME.format("CPU:1"), "as it was made for that device"
    assert "an XLA program on CPU:1" in concrete.compiled


@apart()
def test_a_device_that_the_function_names_counts_for_its_graph():
    @tf.function
    def inside(x):
        with tf.device("CPU:3"):
            y = x * 2
        with tf.device("CPU:0"):
            return y + 1

    assert inside(tf.constant([1.0])).device == NAME.format("CPU:3")

    @tf.function
    def calls(x):
        return inside(x) * 2

    assert calls(tf.constant([1.0])).device == NAME.format("CPU:3")

    @tf.function
    def two(x):
        with tf.device("CPU:1"):
            x = x + 1
        with tf.device("CPU:2"):
            return x * 2

    with pytest.raises(NotImplementedError, match="runs on one device: this one on CPU:1, and not here on CPU:2"):
        two(tf.constant(1.0))
    with tf.compat.v1.Graph().as_default(), pytest.raises(NotImplementedError, match="a session runs on the CPU"):
        with tf.device("CPU:1"):
            tf.constant(1)


@apart()
def test_values_stay_on_the_device_until_python_looks():
    @tf.function
    def step(x):
        return tf.tanh(x @ x) + 1.0

    given = tf.constant(np.eye(4, dtype=np.float32))
    before = copies.count()
    with tf.device("CPU:2"):
        x = step(given)
        for _ in range(3):
            x = step(x)
    assert x.shape == (4, 4) and x.dtype is tf.float32 and x.device.endswith("CPU:2") and len(x) == 4
    now = copies.count()
    assert (now.to_device - before.to_device, now.to_host - before.to_host) == (1, 0)
    assert now.to_device_bytes - before.to_device_bytes == 64
    first = x.numpy()
    np.testing.assert_array_equal(first, x.numpy())
    assert copies.count().to_host - before.to_host == 1, "it comes once"
    first[:] = 7
    assert (x.numpy() != 7).all()
    with tf.device("CPU:1"):
        y = step(x)
    assert y.device.endswith("CPU:1") and copies.count().to_device - now.to_device == 1
    assert (y + x).device.endswith("CPU:0")


@apart()
def test_tensors_on_devices_are_like_others():
    with tf.device("CPU:1"):
        x, k = tf.function(lambda x, k: (x * 2, k + 1))(tf.constant([[1.0, 2.0]]), tf.constant(2))
    assert repr(x) == "<tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[2., 4.]], dtype=float32)>"
    assert str(k) == "tf.Tensor(3, shape=(), dtype=int32)" and int(k) == 3 and [10, 20, 30, 40][k] == 40
    np.testing.assert_array_equal(np.asarray(x), [[2, 4]])
    assert x[0, 1] == 4 and bool(k == 3) and list(x[0])[0] == 2 and tf.reduce_sum(x) == 6
    again = pickle.loads(pickle.dumps(x))
    assert again.device.endswith("CPU:0") and (again == x).numpy().all()
    assert tf.reshape(x, [2]).shape == (2,) and x.ref().deref() is x and tf.identity(x).numpy().shape == (1, 2)
    with pytest.raises(AttributeError):
        x.nothing
    assert tf.function(lambda a: a + 1)(x).device.endswith("CPU:0"), "nothing has asked for a device here"
    with pytest.raises(ValueError):
        np.asarray(x)[0, 0] = 1


@apart()
def test_variables_stay_on_the_device():
    weights, bias = tf.Variable(np.ones((3, 3), np.float32)), tf.Variable(0.5)

    @tf.function
    def step(x):
        weights.assign_sub(0.1 * tf.matmul(x, weights, transpose_a=True) + bias)
        return tf.reduce_sum(weights)

    data = tf.constant(np.eye(3, dtype=np.float32))
    plain = [step(data).numpy() for _ in range(5)]
    values = weights.numpy()
    weights.assign(np.ones((3, 3), np.float32))
    before = copies.count()
    with tf.device("CPU:1"):
        data_there = tf.function(lambda x: x + 0.0)(data)
        results = [step(data_there) for _ in range(5)]
    now = copies.count()
    assert now.to_device - before.to_device == 3, "the data, and each variable, once"
    assert now.to_host == before.to_host
    assert weights.device == bias.device == NAME.format("CPU:1")
    np.testing.assert_allclose([each.numpy() for each in results], plain, rtol=1e-6)
    there = copies.count()
    np.testing.assert_allclose(weights.numpy(), values, rtol=1e-6)
    weights.numpy(), repr(weights), weights + 1
    assert copies.count().to_host - there.to_host == 1
    with tf.device("CPU:1"):
        step(data_there)
    assert copies.count().to_device == there.to_device, "a look at it does not take it away"
    weights.assign(np.zeros((3, 3), np.float32))
    assert weights.device == NAME.format("CPU:0") and (weights.numpy() == 0).all()
    with tf.device("CPU:2"):
        assert tf.Variable([1.0, 2.0]).device == NAME.format("CPU:2")
        assert tf.Variable("text").device == NAME.format("CPU:0")


@apart()
def test_a_variable_may_change_here_and_there():
    v = tf.Variable([1.0, 2.0])
    add = tf.function(lambda x: v.assign_add(x) * 1.0)
    with tf.device("CPU:1"):
        add([1.0, 1.0])
    v.assign_add([10.0, 10.0])
    add([1.0, 1.0])
    with tf.device("CPU:2"):
        add([1.0, 1.0])
        add([1.0, 1.0])
    v[0].assign(100.0)
    with tf.device("CPU:1"):
        result = add([1.0, 1.0])
    value = v.value()
    assert value.device == v.device == NAME.format("CPU:1")
    np.testing.assert_array_equal(v.numpy(), [101, 17])
    np.testing.assert_array_equal(result.numpy(), v.numpy())
    with tf.device("CPU:1"):
        add([1.0, 1.0])
    np.testing.assert_array_equal(value.numpy(), [101, 17])


@apart()
def test_gradients():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def loss(x):
        y = tf.tanh(x @ w)
        for _ in tf.range(3):
            y = y * x
        return y

    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = loss(x)
            total = tf.reduce_sum(y * y)
            captured = tf.function(lambda k: tf.reduce_sum(k * y))(2.0)
        return [tape.gradient(total, w), tape.gradient(total, x), tape.gradient(captured, w)]

    x = tf.constant([[0.1, 0.2], [0.3, 0.4]])
    expected = gradients(x)
    with tf.device("CPU:1"):
        found = gradients(x)
        there = tf.function(lambda x: x * 1.0)(x)
        of_there = gradients(there)
    for want, got, other in zip(expected, found, of_there, strict=True):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5)
        np.testing.assert_allclose(other.numpy(), want.numpy(), rtol=1e-5)
    before = copies.count()
    with tf.device("CPU:1"), tf.GradientTape() as tape:
        y = loss(there)
    with tf.device("CPU:1"):
        found = tape.gradient(y, w)
    assert found.device == NAME.format("CPU:1")
    assert copies.count().to_host == before.to_host, "what the backward graph needs stays there"


@apart()
def test_what_xla_can_not_run_stays_with_numpy():
    @tf.function
    def talks(x):
        y = tf.tanh(x) * 2 + 1 - x * x + x / 3 - x * 0.5 + tf.exp(x) - tf.sin(x) + tf.cos(x)
        text = tf.strings.as_string(tf.reduce_sum(y))
        return y, text

    x = tf.constant([1.0, 2.0])
    expected = talks(x)
    with tf.device("CPU:1"):
        y, text = talks(x)
        compiled = talks.get_concrete_function(x).compiled
    np.testing.assert_allclose(y.numpy(), expected[0].numpy(), rtol=1e-6)
    assert text.dtype is tf.string and text.device == NAME.format("CPU:0")
    assert "an XLA program on CPU:1" in compiled and "runs through NumPy" in compiled and "test_devices.py" in compiled
    whole = tf.function(talks.python_function, jit_compile=True)
    with tf.device("CPU:1"), pytest.raises(NotImplementedError, match="can't become an XLA program on CPU:1.*string"):
        whole(x)
    tf.config.settings.engine = "numpy"
    with tf.device("CPU:1"), pytest.raises(ValueError, match="the engine 'numpy' of the settings can't run on CPU:1"):
        tf.function(lambda x: x + 1)(x)


@apart()
def test_errors_are_the_users():
    @tf.function
    def item(x, i):
        return tf.gather(x, i)

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.device("CPU:1"):
        assert item(x, tf.constant(2)) == 3.0
        with pytest.raises(tf.errors.OutOfRangeError, match=r"(?s)index 3 is not in \[0, 3\).*return tf.gather"):
            item(x, tf.constant(3))


@apart()
def test_lists_of_which_only_a_run_knows_the_length():
    @tf.function
    def collatz(n):
        found = []
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            found.append(n)
        return tf.stack(found)

    with tf.device("CPU:1"):
        assert collatz(tf.constant(6)).numpy().tolist() == [3, 10, 5, 16, 8, 4, 2, 1]
        assert collatz(tf.constant(27)).shape == (111,)


@apart()
def test_no_step_of_another_thread_is_lost():
    v = tf.Variable(0)
    step = tf.function(lambda: v.assign_add(1, read_value=False))

    def work(name):
        with tf.device(name):
            for _ in range(50):
                step()

    threads = [threading.Thread(target=work, args=(f"CPU:{i}",)) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert v.numpy() == 200


@apart()
def test_profiles_show_copies():
    import tempfile

    add = tf.function(lambda x: x + 1.0)
    folder = tempfile.mkdtemp()
    with tf.profiler.experimental.Profile(folder), tf.device("CPU:1"):
        add(add(tf.constant([1.0, 2.0]))).numpy()
    (path,) = glob.glob(f"{folder}/**/*.summary.txt", recursive=True)
    lines = open(path).read().splitlines()
    (to, of) = [next(line for line in lines if f"copy {way} CPU:1" in line) for way in ("to", "from")]
    assert to.split()[0] == of.split()[0] == "1" and to.endswith("8 bytes") and of.endswith("8 bytes")
    assert any("an XLA program on CPU:1" in line and line.split()[0] == "2" for line in lines)


@apart()
def test_keras_trains_on_a_device():
    x = np.random.default_rng(0).normal(size=(64, 5)).astype(np.float32)
    y = (x.sum(axis=1, keepdims=True) > 0).astype(np.float32)

    def train():
        tf.keras.utils.set_random_seed(3)
        model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.Adam(0.01), loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
        history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0)
        return model, history.history["loss"]

    model, losses = train()
    with tf.device("CPU:1"):
        there, found = train()
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    assert {each.device for each in there.trainable_variables} == {NAME.format("CPU:1")}
    for want, got in zip(model.get_weights(), there.get_weights(), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


@apart()
def test_an_accelerator_is_taken_where_nobody_says_otherwise():
    from autograph.runtime.base.devices import Device
    from autograph.runtime.engines.xla import machine

    machine.accelerator = lambda: Device("CPU", 1)
    x = tf.constant([1.0, -2.0])
    v = tf.Variable([0.0, 0.0])
    add = tf.function(lambda x: v.assign_add(x) * 2.0)
    for _ in range(4):
        result = add(x)
    assert result.device == v.device == NAME.format("CPU:1") and result.numpy().tolist() == [8, -16]
    with tf.device("/CPU:0"):
        assert add(x).device == NAME.format("CPU:0")

    def compiled(function, *arguments):
        function = tf.function(function) if not hasattr(function, "python_function") else function
        results = function(*arguments)
        assert results.device == NAME.format("CPU:0")
        return function.get_concrete_function(*arguments).compiled

    whole = tf.function(lambda x: tf.tanh(x) + 1, jit_compile=True)
    assert whole(x).device == NAME.format("CPU:1")
    assert "it does not run on CPU:1: there is nothing but scalars in it" in compiled(lambda n: n + 1, tf.constant(1))
    assert "it does not run on CPU:1: values of dtype string (" in compiled(lambda x: tf.strings.as_string(x), x)
    eager = tf.function(lambda x: x + 1, jit_compile=False)
    assert "jit_compile=False, say otherwise" in compiled(eager, x)
    masked = compiled(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)) + tf.zeros([2]), x)
    assert "are not an XLA program on CPU:1 together" in masked
    data = tf.data.Dataset.range(3).map(lambda i: i * tf.constant([1, 2], tf.int64))
    assert [each.tolist() for each in data.as_numpy_iterator()] == [[0, 0], [1, 2], [2, 4]]
    tf.config.settings.engine = "numpy"
    assert tf.function(lambda x: x + 1)(x).device == NAME.format("CPU:0")
    tf.config.settings.engine = "xla"
    assert tf.function(lambda x: x + 1)(x).device == NAME.format("CPU:1")


@apart()
def test_ctrl_c_ends_a_loop():
    @tf.function
    def turn(x, n):
        while n > 0:
            x = x * 1.5 - x
            n -= 1
        return x

    with tf.device("CPU:1"):
        turn(1.0, tf.constant(3))
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            turn(1.0, tf.constant(2_000_000_000))
        assert turn(1.0, tf.constant(0)) == 1.0


@apart()
def test_a_loop_may_wait_for_another_thread():
    wait_on("CPU:1", 1.0)
