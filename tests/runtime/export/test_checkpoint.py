"""`tf.train.Checkpoint` and what keeps several of them."""

from __future__ import annotations

import os

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SavedFileError
from autograph.runtime.export.weights import load_tensors


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
    with pytest.warns(UserWarning, match="has values for a, which do not exist here"):
        status = checkpoint.read(path)
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
