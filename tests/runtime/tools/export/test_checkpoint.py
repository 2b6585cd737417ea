"""`tf.train.Checkpoint` and what keeps several of them."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.functions import deferred
from autograph.runtime.tools.export.weights import load_tensors


class Layer(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.kernel = tf.Variable([value, value])


class Model(tf.Module):
    def __init__(self, value=0.0):
        super().__init__()
        self.layers = [Layer(value), {"in/side": Layer(value + 1)}]
        self.first = self.layers[0]
        self.rate = tf.Variable(value)


def values(model):
    return [v.numpy().tolist() for v in model.variables]


def test_values_come_back(tmp_path):
    model = Model(1.0)
    path = tf.train.Checkpoint(model=model).write(tmp_path / "a" / "weights")
    assert path == str(tmp_path / "a" / "weights")
    assert sorted(load_tensors(path + ".safetensors")) == [
        "model/first/kernel", "model/layers/1/in%2Fside/kernel", "model/rate", "save_counter",
    ]  # fmt: skip
    other = Model(9.0)
    status = tf.train.Checkpoint(model=other).read(path)
    status.assert_consumed().assert_existing_objects_matched().expect_partial()
    assert values(other) == values(model)


def test_the_root_goes_without_a_name(tmp_path):
    model = Model(3.0)
    path = tf.train.Checkpoint(model).save(tmp_path / "ckpt")
    other = Model(0.0)
    tf.train.Checkpoint(other).restore(path).assert_consumed()
    assert values(other) == values(model)
    assert "rate" in load_tensors(path + ".safetensors")


def test_what_objects_make_up_when_asked(tmp_path):
    class Makes:
        def __init__(self):
            self.kept = [tf.Variable(i) for i in range(50)]

        def _trackable_children(self):
            return {f"part{i}": [[variable]] for i, variable in enumerate(self.kept)}

    path = tf.train.Checkpoint(m=Makes()).write(tmp_path / "x")
    assert len(load_tensors(path + ".safetensors")) == 51


def test_numbers_and_the_latest(tmp_path):
    assert tf.train.latest_checkpoint(tmp_path) is None
    v = tf.Variable(1)
    checkpoint = tf.train.Checkpoint(v=v)
    paths = [checkpoint.save(tmp_path / "ckpt") for _ in range(3)]
    assert [os.path.basename(path) for path in paths] == ["ckpt-1", "ckpt-2", "ckpt-3"]
    assert tf.train.latest_checkpoint(tmp_path) == paths[-1]
    assert (tmp_path / "checkpoint").read_text() == (
        'model_checkpoint_path: "ckpt-3"\n' + "".join(f'all_model_checkpoint_paths: "ckpt-{i}"\n' for i in (1, 2, 3))
    )
    again = tf.train.Checkpoint(v=tf.Variable(0))
    again.restore(tf.train.latest_checkpoint(tmp_path))
    assert int(again.save_counter) == 3
    assert os.path.basename(again.save(tmp_path / "ckpt")) == "ckpt-4"


def test_restoring_nothing(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    status = checkpoint.restore(tf.train.latest_checkpoint(tmp_path))
    assert int(checkpoint.v) == 1
    with pytest.raises(AssertionError, match="save_counter, v"):
        status.assert_existing_objects_matched()


def test_what_does_not_match(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1), b=tf.Variable(2)).write(tmp_path / "x")
    checkpoint = tf.train.Checkpoint(b=tf.Variable(0), c=tf.Variable(0))
    status = checkpoint.read(path).expect_partial()
    assert (int(checkpoint.b), int(checkpoint.c)) == (2, 0)
    with pytest.raises(AssertionError, match="values without a variable: a"):
        status.assert_consumed()
    with pytest.raises(AssertionError, match="for: c"):
        status.assert_existing_objects_matched()


@pytest.mark.parametrize("other", [tf.Variable([1.0, 2.0]), tf.Variable([1, 2, 3])], ids=["shape", "dtype"])
def test_values_that_do_not_fit_change_nothing(tmp_path, other):
    path = tf.train.Checkpoint(a=tf.Variable(1), b=tf.Variable([1.0, 2.0, 3.0])).write(tmp_path / "x")
    a = tf.Variable(5)
    with pytest.raises(InvalidArgumentError, match="the value of 'b' is float32 of shape"):
        tf.train.Checkpoint(a=a, b=other).read(path)
    assert int(a) == 5


def test_missing_and_damaged_files(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    with pytest.raises(SavedFileError):
        checkpoint.restore(tmp_path / "none")
    path = checkpoint.save(tmp_path / "ckpt")
    os.truncate(path + ".safetensors", 20)
    with pytest.raises(SavedFileError):
        checkpoint.restore(path)
    for text in ('model_checkpoint_path: "../ckpt-1"\n', "what?\n", 'model_checkpoint_path: "\\x"\n', "\xff"):
        (tmp_path / "checkpoint").write_text(text)
        with pytest.raises(SavedFileError, match="does not say which checkpoints there are"):
            tf.train.latest_checkpoint(tmp_path)


def test_the_manager_keeps_the_last(tmp_path):
    v = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for i in range(4):
        v.assign(i)
        manager.save()
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors"]
    v.assign(99)
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert again.restore_or_initialize() == manager.latest_checkpoint
    assert int(v) == 3
    assert os.path.basename(again.save()) == "ckpt-5"
    assert [os.path.basename(path) for path in again.checkpoints] == ["ckpt-4", "ckpt-5"]
    assert os.path.basename(again.save(checkpoint_number=70)) == "ckpt-70"
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-70")


def test_the_manager_keeps_some_for_good(tmp_path):
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(0)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=0.0
    )
    for _ in range(3):
        path = manager.save()
        os.utime(path + ".safetensors", (2**33, 2**33))
    assert len([name for name in os.listdir(tmp_path) if name.startswith("ckpt")]) == 3
    assert len(manager.checkpoints) == 1


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match="is taken"):
        tf.train.Checkpoint(save=tf.Variable(1))
    with pytest.raises(ValueError, match="positive integer"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, max_to_keep=0)


def test_training_goes_on_to_the_same_numbers(tmp_path):
    def steps(count, checkpoint):
        for _ in range(count):
            gradient = 2.0 * (checkpoint.v - 3.0) + checkpoint.noise.normal(())
            checkpoint.v.assign_sub(0.1 * gradient)

    def fresh():
        return tf.train.Checkpoint(v=tf.Variable(0.0), noise=tf.random.Generator.from_seed(1))

    whole, first, second = fresh(), fresh(), fresh()
    steps(10, whole)
    steps(4, first)
    second.restore(first.save(tmp_path / "ckpt"))
    steps(6, second)
    np.testing.assert_array_equal(second.v.numpy(), whole.v.numpy())


# Values that wait for their variables


@pytest.fixture(autouse=True)
def _nothing_waits():
    gc.collect()
    before = list(deferred.waiting)
    yield
    deferred.waiting[:] = before


class Dense(tf.Module):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.kernel = None

    def __call__(self, x):
        if self.kernel is None:
            self.kernel = tf.Variable(tf.ones([x.shape[-1], self.units]))
            self.bias = tf.Variable(tf.zeros([self.units]))
        return tf.matmul(x, self.kernel) + self.bias


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2), Dense(1)]
        self.scale = tf.Variable(1.0)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


def trained(tmp_path):
    net = Net()
    net(tf.ones([1, 3]))
    for i, variable in enumerate(net.variables):
        variable.assign(tf.fill(variable.shape, float(i + 1)))
    return net, tf.train.Checkpoint(net=net).write(tmp_path / "net")


@pytest.mark.parametrize("staged", [False, True])
def test_variables_that_are_made_later_get_their_values(tmp_path, staged):
    net, path = trained(tmp_path)
    other = Net()
    checkpoint = tf.train.Checkpoint(net=other)
    status = checkpoint.restore(path)
    assert status.unused == [f"net/layers/{i}/{name}" for i in (0, 1) for name in ("bias", "kernel")]
    with pytest.raises(AssertionError, match="values without a variable: net/layers/0/bias"):
        status.assert_consumed()
    x = tf.constant([[1.0, 2.0, 3.0]])
    run = tf.function(other) if staged else other
    np.testing.assert_array_equal(run(x), net(x))
    status.assert_consumed()
    assert status._waiting not in deferred.waiting
    other.layers[0].kernel.assign(tf.zeros([3, 2]))
    assert float(other.layers[0].kernel[0, 0]) == 0.0  # the value comes once


def test_training_goes_on_where_optimizer_and_model_are_not_built(tmp_path):
    x = tf.constant(np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32))

    def program():
        net, optimizer = Net(), tf.keras.optimizers.Adam(0.1)

        @tf.function
        def train():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(x) - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
            variables = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss

        return tf.train.Checkpoint(net=net, optimizer=optimizer), train

    checkpoint, train = program()
    for _ in range(3):
        train()
    path = checkpoint.save(tmp_path / "ckpt")
    expected = [float(train()) for _ in range(3)]
    checkpoint, train = program()
    status = checkpoint.restore(path)
    assert [float(train()) for _ in range(3)] == expected
    status.assert_consumed()


def test_the_last_restoration_counts(tmp_path):
    net, path = trained(tmp_path)
    net.layers[0].kernel.assign(tf.fill([3, 2], 9.0))
    later = tf.train.Checkpoint(net=net).write(tmp_path / "later")
    other = Net()
    checkpoint = tf.train.Checkpoint(net=other)
    first = checkpoint.read(path)
    second = checkpoint.read(later)
    assert first._waiting not in deferred.waiting and second._waiting in deferred.waiting
    other(tf.ones([1, 3]))
    assert float(other.layers[0].kernel[0, 0]) == 9.0
    second.assert_consumed()


def test_waiting_values_keep_no_model_alive_and_do_not_fit_all(tmp_path):
    _, path = trained(tmp_path)
    other = Net()
    waiting = tf.train.Checkpoint(other).read(path).expect_partial()._waiting  # another root: nothing fits
    assert waiting in deferred.waiting
    alive = weakref.ref(other)
    del other
    gc.collect()
    assert alive() is None
    assert waiting not in deferred.waiting
    wrong = Net()
    tf.train.Checkpoint(net=wrong).read(path).expect_partial()
    with pytest.raises(InvalidArgumentError, match="the value of 'net/layers/0/kernel' is float32 of shape"):
        wrong(tf.ones([1, 5]))


def test_weights_of_a_model_that_is_built_after_the_restoration(tmp_path):
    def model():
        return tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])

    built = model()
    built.build((None, 3))
    path = tf.train.Checkpoint(model=built).write(tmp_path / "x")
    other = model()
    status = tf.train.Checkpoint(model=other).restore(path)
    other.build((None, 3))
    for a, b in zip(built.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    status.assert_consumed()


def test_values_that_nothing_asked_for_are_told_at_the_end(tmp_path):
    program = """
import autograph as tf, sys
path = tf.train.Checkpoint(a=tf.Variable(1), b=tf.Variable(2)).write(sys.argv[1])
status = tf.train.Checkpoint(b=tf.Variable(0)).read(path)
if sys.argv[2] == "partial":
    status.expect_partial()
"""
    for how, told in (("whole", True), ("partial", False)):
        arguments = [sys.executable, "-c", program, str(tmp_path / "x"), how]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert ("has values for a, which have never come to exist" in done.stderr) is told


def test_a_full_disk_loses_no_older_checkpoint(tmp_path, monkeypatch):
    """Whichever of the files can't be written: that of the values, or the one that names the latest."""
    v = tf.Variable(1.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=1)
    manager.save()
    synchronise = os.fsync
    for good in (0, 2):  # a file and its folder
        left = [good]

        def fsync(number, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            synchronise(number)

        monkeypatch.setattr(os, "fsync", fsync)
        v.assign_add(1.0)
        with pytest.raises(OSError, match="No space left"):
            manager.save()
        monkeypatch.undo()
        assert not list(tmp_path.glob("*.partial"))
        again = tf.Variable(0.0)
        found = tf.train.CheckpointManager(tf.train.Checkpoint(v=again), tmp_path, max_to_keep=1)
        assert found.restore_or_initialize() == tf.train.latest_checkpoint(tmp_path) and float(again) == 1.0
    manager.save()
    assert tf.train.latest_checkpoint(tmp_path) is not None
