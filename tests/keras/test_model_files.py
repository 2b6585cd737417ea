"""Models as files, configurations and copies: what comes back is the model that was saved."""

from __future__ import annotations

import io
import json
import os
import random
import warnings
import zipfile

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SavedFileError

x = np.random.default_rng(0).normal(size=(8, 4)).astype("float32")
y = np.random.default_rng(1).normal(size=(8, 3)).astype("float32")


class Mine(tf.keras.Model):
    def __init__(self, units=2, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = tf.keras.layers.Dense(units)

    def call(self, inputs, training=None):
        if tf.reduce_sum(inputs) > 0:
            return self.dense(inputs)
        return self.dense(-inputs)


def sequential():
    layers = tf.keras.layers
    return tf.keras.Sequential([
        tf.keras.Input((4,)), layers.Dense(3, activation="relu", kernel_regularizer="l2"), layers.BatchNormalization(),
        layers.Dropout(0.5),
    ])  # fmt: skip


def functional():
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    shared = tf.keras.layers.Dense(4)
    inner = tf.keras.Sequential([tf.keras.layers.Dense(5, input_shape=(4,))])
    hidden = shared(a * 2) + shared(b[:, ::-1])
    return tf.keras.Model(
        {"a": a, "b": b}, {"s": inner(3 - hidden), "t": hidden[..., 1:3] @ tf.constant(np.eye(2, dtype="f"))}, name="f"
    )


def outputs(model):
    given = {"a": x, "b": x + 1} if "a" in str(model.input_shape) and isinstance(model.input_shape, dict) else x
    found = model(given)
    return [np.asarray(each) for each in (found.values() if isinstance(found, dict) else [found])]


def equal(model, other):
    return all(np.array_equal(a, b) for a, b in zip(outputs(model), outputs(other), strict=True))


@pytest.mark.parametrize("place", ["model.keras", "folder"])
@pytest.mark.parametrize("make", [sequential, functional])
def test_a_model_comes_back(tmp_path, make, place):
    model = make()
    model.save(tmp_path / place)
    loaded = tf.keras.models.load_model(tmp_path / place)
    assert type(loaded) is type(model) and equal(model, loaded) and not loaded.compiled
    assert [layer.name for layer in loaded.layers] == [layer.name for layer in model.layers]
    assert json.dumps(loaded.get_config()) == json.dumps(model.get_config())


def test_training_goes_on_to_the_same_numbers(tmp_path):
    model = sequential()
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    metrics = ["mae", tf.keras.metrics.RootMeanSquaredError(name="root")]
    model.compile(tf.keras.optimizers.Adam(rate), tf.keras.losses.Huber(0.5), metrics=metrics)
    model.fit(x, y, verbose=0, epochs=2, shuffle=False)
    model.save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras")
    assert loaded.evaluate(x, y, verbose=0) == model.evaluate(x, y, verbose=0)
    for each in (model, loaded):
        tf.keras.utils.set_random_seed(3)
        each.fit(x, y, verbose=0, epochs=2, shuffle=False)
    assert equal(model, loaded) and int(loaded.optimizer.iterations) == 4
    assert not tf.keras.models.load_model(tmp_path / "m.keras", compile=False).compiled


def test_a_class_of_the_user(tmp_path):
    model = Mine(3)
    model(x)
    model.save(tmp_path / "m.keras")
    with pytest.raises(TypeError, match="Could not locate class 'Mine'"):
        tf.keras.models.load_model(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras", custom_objects={"Mine": Mine})
    assert type(loaded) is Mine and loaded.units == 3
    assert np.array_equal(loaded(x), model(x))
    with tf.keras.utils.custom_object_scope({"Mine": Mine}):
        assert np.array_equal(tf.keras.models.load_model(tmp_path / "m.keras")(x), model(x))


def test_registered_classes_and_functions(tmp_path):
    @tf.keras.utils.register_keras_serializable("tests", "Twice")
    class Double(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs * 2

    @tf.keras.saving.register_keras_serializable("tests")
    def squared(y_true, y_pred):
        return tf.reduce_mean((y_true - y_pred) ** 2, -1)

    model = tf.keras.Sequential([tf.keras.Input((4,)), Double(), tf.keras.layers.Lambda(plus_one)])
    model.compile(loss=squared)
    model.save(tmp_path / "m.keras")
    assert tf.keras.utils.get_registered_name(Double) == "tests>Twice"
    with pytest.raises(TypeError, match="Could not locate function 'plus_one'"):
        tf.keras.models.load_model(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras", {"plus_one": plus_one})
    assert np.array_equal(loaded(x), x * 2 + 1) and loaded.loss is squared


def plus_one(inputs):
    return inputs + 1


def test_what_can_not_be_saved(tmp_path):
    with pytest.raises(ValueError, match="Invalid filepath extension"):
        sequential().save(tmp_path / "m.h5")
    with pytest.raises(NotImplementedError, match="non-serializable"):
        tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Lambda(lambda v: v)]).save(tmp_path / "m.keras")
    sequential().save(tmp_path / "m.keras")
    with pytest.raises(InvalidArgumentError, match="exists already"):
        sequential().save(tmp_path / "m.keras", overwrite=False)
    model = sequential()
    model.compile(loss=lambda a, b: tf.reduce_mean(a - b))
    with pytest.warns(UserWarning, match="has to be compiled again"):
        model.save(tmp_path / "m.keras")
    assert not tf.keras.models.load_model(tmp_path / "m.keras").compiled


def test_a_model_without_weights_and_one_that_was_called(tmp_path):
    unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    unbuilt.save(tmp_path / "m.keras")
    assert tf.keras.models.load_model(tmp_path / "m.keras").weights == []
    unbuilt(x)
    unbuilt.save(tmp_path / "m.keras")
    assert np.array_equal(tf.keras.models.load_model(tmp_path / "m.keras")(x), unbuilt(x))


def test_json():
    model = functional()
    made = tf.keras.models.model_from_json(model.to_json(indent=1))
    made.set_weights(model.get_weights())
    assert equal(model, made)


@pytest.mark.parametrize("make", [sequential, functional])
def test_copies(make):
    model = make()
    model.trainable = False
    clone = tf.keras.models.clone_model(model)
    assert clone.name == model.name and not clone.trainable
    assert all(a is not b for a, b in zip(clone.layers, model.layers, strict=True))
    assert not equal(model, clone) or make is sequential
    clone.set_weights(model.get_weights())
    assert equal(model, clone)


def test_copies_by_other_rules():
    model, seen = functional(), []

    def keep(layer):
        seen.append(layer.name)
        return layer

    shared = tf.keras.models.clone_model(model, clone_function=keep)
    assert equal(model, shared) and seen == [layer.name for layer in model.layers if layer.name not in "ab"]
    start = tf.keras.Input((4,), name="start")
    moved = tf.keras.models.clone_model(sequential(), input_tensors=start)
    assert moved.input is start
    mine = Mine(3)
    assert tf.keras.models.clone_model(mine).units == 3
    with pytest.raises(ValueError, match="only supported for"):
        tf.keras.models.clone_model(mine, clone_function=keep)


def test_two_layers_of_one_name_are_refused():
    a = tf.keras.Input((4,))
    with pytest.raises(ValueError, match='The name "d" is used 2 times'):
        tf.keras.Model(a, tf.keras.layers.Dense(2, name="d")(tf.keras.layers.Dense(2, name="d")(a)))


# Files from anywhere


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    model = sequential()
    model.compile("adam", "mse", metrics=["mae", tf.keras.metrics.AUC(num_thresholds=5)])
    path = tmp_path_factory.mktemp("hostile") / "m.keras"
    model.save(path)
    return path.read_bytes()


def load(tmp_path, content):
    path = tmp_path / "m.keras"
    path.write_bytes(content)
    return tf.keras.models.load_model(path)


def changed(archive, change, name="config.json", **options):
    """The archive with one member changed."""
    with zipfile.ZipFile(io.BytesIO(archive)) as before:
        members = {each: before.read(each) for each in before.namelist()}
    if name in members:
        members[name] = change(members[name])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as after:
        for each, content in members.items():
            after.writestr(each, content)
    return file.getvalue()


def test_cut_and_flipped_files(tmp_path, archive):
    generator = random.Random(5)
    for number in range(150):
        content = bytearray(archive)
        if number % 3 == 0:
            content = content[: generator.randrange(len(content))]
        else:
            content[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        try:
            load(tmp_path, bytes(content))  # what is flipped may be a field that means nothing, such as a date
        except SavedFileError:
            pass


HOSTILE = [
    (b'"units":3', b'"units":3000000000'), (b'"units":3', b'"units":-3'), (b'"units":3', b'"units":{}'),
    (b'"batch_shape":[null,4]', b'"batch_shape":[null,4000000000000]'),
    (b'"class_name":"Dense"', b'"class_name":"Layer"'),
    (b'"class_name":"Sequential"', b'"class_name":"Dense"'), (b'"layers":[', b'"layers":[[],'),
    (b'"num_thresholds":5', b'"num_thresholds":5000000000'), (b'"rate":0.5', b'"rate":1e999'),
    (b'"class_name":"AUC"', b'"class_name":"Dense"'), (b'"class_name":"Dense"', b'"class_name":"Dropout"'),
    (b'"class_name":"Adam"', b'"class_name":"SGD"'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), HOSTILE, ids=[new.decode() for _, new in HOSTILE])
def test_wrong_configurations(tmp_path, archive, old, new):
    def change(content):
        assert old in content
        return content.replace(old, new, 1)

    with pytest.raises((SavedFileError, TypeError)):
        load(tmp_path, changed(archive, change))


def test_wrong_archives(tmp_path, archive):
    with pytest.raises(SavedFileError, match="compressed"):
        load(tmp_path, changed(archive, bytes, compression=zipfile.ZIP_DEFLATED))
    with pytest.raises(SavedFileError, match="newer version"):
        load(tmp_path, changed(archive, lambda _: b'{"format":"autograph keras model","version":9}', "metadata.json"))
    with pytest.raises(SavedFileError, match="no model of autograph"):
        load(tmp_path, changed(archive, lambda _: b"{}", "metadata.json"))
    with pytest.raises(SavedFileError, match="can't be made"):
        load(tmp_path, changed(archive, lambda content: b"[" * 500 + b"]" * 500))
    with zipfile.ZipFile(io.BytesIO(archive)) as before:
        content = {each: before.read(each) for each in before.namelist()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as after:
        for name, each in content.items():
            after.writestr(f"../{name}", each)
    with pytest.raises(SavedFileError, match="nothing else"):
        load(tmp_path, file.getvalue())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as after:
        after.writestr("model.weights.h5", b"")
    with pytest.raises(SavedFileError, match="does not hold metadata.json"):
        load(tmp_path, file.getvalue())
    with pytest.raises(SavedFileError, match="File not found"):
        tf.keras.models.load_model(tmp_path / "nothing.keras")


def test_links_in_folders_are_not_followed(tmp_path):
    sequential().save(tmp_path / "folder")
    os.rename(tmp_path / "folder" / "config.json", tmp_path / "elsewhere.json")
    os.symlink(tmp_path / "elsewhere.json", tmp_path / "folder" / "config.json")
    with pytest.raises(SavedFileError, match="link"):
        tf.keras.models.load_model(tmp_path / "folder")


def test_calls_in_a_circle(tmp_path):
    model = functional()
    model.save(tmp_path / "m.keras")
    config = model.get_config()
    for layer in config["layers"]:
        if layer["name"].startswith("dense"):
            layer["inbound_nodes"] = layer["inbound_nodes"][::-1]
            layer["inbound_nodes"][0]["args"][0]["config"]["keras_history"] = [layer["name"], 0, 0]
    with warnings.catch_warnings(), pytest.raises(InvalidArgumentError, match="depend on tensors that nothing gives"):
        tf.keras.Model.from_config(config)


@pytest.mark.parametrize("load", [
    lambda path: tf.keras.models.load_model(path), lambda path: sequential().load_weights(path),
    lambda path: tf.saved_model.load(path), lambda path: tf.train.Checkpoint(v=tf.Variable(1.0)).restore(path),
])  # fmt: skip
def test_files_that_are_not_there(tmp_path, load):
    with pytest.raises(FileNotFoundError) as caught:
        load(str(tmp_path / "none.keras"))
    assert isinstance(caught.value, tf.errors.NotFoundError)
    assert isinstance(caught.value, tf.errors.SavedFileError)
