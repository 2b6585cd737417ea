"""HDF5 files of Keras 2, and those that Keras 3 writes under such names."""

from __future__ import annotations

import gzip
import json
import sys
import warnings

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MissingExtraError, SavedFileError

from . import make_old, models
from .test_weights_files import DATA, OUTPUTS, firsts, numbered, outputs

h5py = pytest.importorskip("h5py")
keras, layers = tf.keras, tf.keras.layers
OLD = json.loads((DATA / "old_outputs.json").read_text())["outputs"]


def unpacked(name, folder):
    path = folder / name
    path.write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
    return path


def agree(found, wanted, tolerance=2e-5):
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(mine).ravel(), theirs, rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("name", ["old.h5", "old.keras"])
def test_models_of_keras_2(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = keras.models.load_model(unpacked(name, tmp_path))
    agree(model.predict(make_old.INPUTS, verbose=0), OLD["old"])
    assert int(model.optimizer.iterations.numpy()) == 1
    make_old.step(model)
    agree(model.predict(make_old.INPUTS, verbose=0), OLD["after"], 1e-3)
    found = model.evaluate(make_old.INPUTS, make_old.TARGETS, verbose=0, return_dict=True)
    assert {"one_mae", "two_accuracy", "two_auc"} <= found.keys()


def test_an_optimizer_of_keras_2_10(tmp_path):
    model = keras.models.load_model(unpacked("older.h5", tmp_path))
    agree([model.predict(models.wave(2, 2), verbose=0)], OLD["older"])
    model.fit(models.wave(2, 2), models.wave(2, 1), verbose=0)
    agree([model.predict(models.wave(2, 2), verbose=0)], OLD["older after"], 1e-4)


@pytest.mark.parametrize("name", ["old_weights.h5", "old.h5"])
def test_weights_of_keras_2(name, tmp_path):
    model = make_old.old(keras)
    model.load_weights(unpacked(name, tmp_path))
    agree(model.predict(make_old.INPUTS, verbose=0), OLD["old"])


def test_models_of_keras_3(tmp_path):
    agree(outputs(keras.models.load_model(unpacked("recurrent.h5", tmp_path)), "recurrent"), OUTPUTS["recurrent"])
    model = keras.models.load_model(unpacked("compiled.h5", tmp_path))
    assert int(model.optimizer.iterations.numpy()) == 1
    models.step(model)
    agree(outputs(model, "compiled"), OUTPUTS["compiled"], 1e-4)
    assert not keras.models.load_model(tmp_path / "compiled.h5", compile=False).compiled


def small(*names, units=3):
    return keras.Sequential([layers.Input((3,)), *[layers.Dense(units, name=name) for name in names]])


def written(path, **weights):
    """A file of weights: for each layer some arrays."""
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [name.encode() for name in weights]
        file.attrs["keras_version"] = b"2.4.0"
        for name, arrays in weights.items():
            group = file.create_group(name)
            names = [f"{name}/{number}:0" for number in range(len(arrays))]
            group.attrs["weight_names"] = [each.encode() for each in names]
            for each, array in zip(names, arrays, strict=True):
                group[each] = np.asarray(array, np.float32)
    return path


def dense(start, inputs=3, units=3):
    return [np.full((inputs, units), start), np.full(units, start + 1)]


def test_layers_by_name(tmp_path):
    path = written(tmp_path / "w.h5", b=dense(1), nothing=[], c=dense(3))
    model = numbered(small("a", "b"), 0)
    model.load_weights(path)
    assert firsts(model) == [1, 2, 3, 4]
    model = numbered(small("a", "b"), 0)
    model.load_weights(path, by_name=True)
    assert firsts(model) == [0, 0, 1, 2]


def test_what_does_not_fit(tmp_path):
    path = written(tmp_path / "w.h5", a=dense(1), b=dense(3, units=4))
    model = numbered(small("a", "b"), 0)
    for by_name in (False, True):
        with pytest.raises(ValueError) as caught:
            model.load_weights(path, by_name=by_name)
        text = str(caught.value)
        assert "kernel of layer 'b' (b/0:0 in the file) is of shape (3, 4) in the file, (3, 3) in the model" in text
        assert "bias of layer 'b' (b/1:0 in the file) is of shape (4,) in the file, (3,) in the model" in text
        assert firsts(model) == [0, 0, 0, 0]
    with pytest.warns(UserWarning, match="left as they are"):
        model.load_weights(path, skip_mismatch=True)
    assert firsts(model) == [1, 2, 0, 0]
    with pytest.raises(ValueError, match="Model expected 1 layers, found 2 saved layers in .*: a, b; the model has a"):
        small("a").load_weights(path)
    written(path, a=dense(1)[:1])
    with pytest.raises(ValueError, match="layer 'a' has 2 weights; 'a' in the file has 1"):
        small("a").load_weights(path)
    with pytest.raises(ValueError, match="`objects_to_skip` only supports"):
        small("a").load_weights(path, objects_to_skip=[])


def test_frozen_layers_and_weights_of_the_model_itself(tmp_path):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.count = self.add_weight(shape=(1,), trainable=False, name="count")
            self.dense = layers.Dense(3, name="d")
            self.scale = self.add_weight(shape=(1,), name="scale")

        def call(self, x):
            return self.dense(x) * self.scale + self.count

    model = Own()
    model(np.ones((1, 3), np.float32))
    path = written(tmp_path / "w.h5", d=dense(1), top_level_model_weights=[[5.0], [6.0]])
    with h5py.File(path, "a") as file:
        file.attrs["layer_names"] = [b"d"]
    model.dense.trainable = False
    model.load_weights(path)
    assert [float(np.ravel(each)[0]) for each in (*model.dense.weights, model.scale, model.count)] == [1, 2, 5, 6]


def test_files_without_a_model_and_damaged_ones(tmp_path):
    path = written(tmp_path / "w.h5", a=dense(1))
    with pytest.raises(SavedFileError, match="No model config found"):
        keras.models.load_model(path)
    with h5py.File(path, "a") as file:
        del file["a/a/1:0"]
    with pytest.raises(SavedFileError, match="does not have the weight 'a/1:0' of layer 'a'"):
        small("a").load_weights(path)
    with h5py.File(path, "a") as file:
        del file["a"]
    with pytest.raises(SavedFileError, match="no weights of layer 'a'"):
        small("a").load_weights(path)
    path = unpacked("older.h5", tmp_path)
    data = path.read_bytes()
    for part in range(1, 10):
        path.write_bytes(data[: len(data) * part // 10])
        with pytest.raises(SavedFileError, match="older.h5"):
            keras.models.load_model(path)
    path.write_bytes(data)

    def set_config(change):
        with h5py.File(path, "a") as file:
            config = json.loads(file.attrs["model_config"])
            change(config)
            file.attrs["model_config"] = json.dumps(config)

    set_config(lambda config: config["config"]["layers"].pop(0))
    set_config(lambda config: config["config"]["layers"][0]["config"].pop("batch_input_shape"))
    with pytest.raises(SavedFileError, match="has no input layer"):
        keras.models.load_model(path)
    lambdas = {"name": "l", "function": ["4wEA", None, None], "function_type": "lambda"}
    set_config(lambda config: config["config"]["layers"][0].update(class_name="Lambda", config=lambdas))
    with pytest.raises(SavedFileError, match="a lambda in layer 'l', whose bytecode is not run"):
        keras.models.load_model(path)


def test_old_functional_configurations_with_functions_of_tensorflow(tmp_path):
    path = unpacked("old.h5", tmp_path)
    with h5py.File(path, "a") as file:
        config = file.attrs["model_config"].replace('"math.multiply"', '"nn.relu6"')
        file.attrs["model_config"] = config
    with pytest.raises(SavedFileError, match=r"the layer keras.layers.TFOpLambda \('tf.math.multiply'\)"):
        keras.models.load_model(path)


def test_other_optimizers_begin_anew_with_a_warning(tmp_path):
    path = unpacked("older.h5", tmp_path)
    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["training_config"])
        config["optimizer_config"]["class_name"] = "SGD"
        config["optimizer_config"]["config"] = {"name": "SGD", "lr": 0.5, "decay": 0.0}
        file.attrs["training_config"] = json.dumps(config)
    with pytest.warns(UserWarning, match="it begins anew"):
        model = keras.models.load_model(path)
    assert type(model.optimizer) is keras.optimizers.SGD and float(model.optimizer.learning_rate) == 0.5


def test_writing_such_files_is_refused(tmp_path):
    with pytest.raises(ValueError, match="Invalid filepath extension"):
        small("a").save(tmp_path / "m.h5")


def test_without_h5py_an_error_names_the_extra(tmp_path, monkeypatch):
    path = unpacked("older.h5", tmp_path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"autograph-py\[h5\]"):
        keras.models.load_model(path)
