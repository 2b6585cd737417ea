"""Models in `.keras` files of the real Keras."""

from __future__ import annotations

import gzip
import json
import sys
import zipfile

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MissingExtraError, SavedFileError

from . import models
from .test_weights_files import DATA, OUTPUTS, outputs

h5py = pytest.importorskip("h5py")
keras, layers = tf.keras, tf.keras.layers
NAMES = [name for name in models.MODELS if name != "subclassed"]


def unpacked(name, folder):
    path = folder / f"{name}.keras"
    path.write_bytes(gzip.decompress((DATA / f"{name}.keras.gz").read_bytes()))
    return path


def agree(model, name, tolerance=2e-5):
    for found, wanted in zip(outputs(model, name), OUTPUTS[name], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_models_of_keras_give_what_they_give_there(name, tmp_path):
    agree(keras.models.load_model(unpacked(name, tmp_path)), name)


def test_a_compiled_model_goes_on_with_its_training(tmp_path):
    model = keras.models.load_model(unpacked("compiled", tmp_path))
    assert type(model.optimizer) is keras.optimizers.Adam and model.optimizer.clipnorm == 1.0
    assert int(model.optimizer.iterations.numpy()) == 1
    models.step(model)
    agree(model, "compiled", 1e-4)
    assert [layer.name for layer in model.layers] == ["inputs", "hidden", "one", "two"]
    assert not keras.models.load_model(unpacked("compiled", tmp_path), compile=False).compiled


def test_classes_of_users(tmp_path):
    path = unpacked("own", tmp_path)
    with pytest.raises(TypeError, match="Could not locate class 'Network'"):
        keras.models.load_model(path)
    classes = models.own_classes(keras)
    model = keras.models.load_model(path, custom_objects=classes)
    assert type(model) is classes["Network"]
    agree(model, "own")


def test_a_folder_as_keras_writes_it(tmp_path):
    folder = tmp_path / "words"
    with zipfile.ZipFile(unpacked("words", tmp_path)) as archive:
        archive.extractall(folder)
    agree(keras.models.load_model(folder), "words")


def test_what_is_loaded_can_be_saved_again(tmp_path):
    model = keras.models.load_model(unpacked("compiled", tmp_path))
    model.save(tmp_path / "again.keras")
    again = keras.models.load_model(tmp_path / "again.keras")
    models.step(again)
    agree(again, "compiled", 1e-4)


def changed(path, change, **more):
    """The file with another configuration and further members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = json.loads(members["config.json"])
    change(config)
    members = members | {"config.json": json.dumps(config).encode()} | more
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def test_what_the_library_does_not_have_is_named_all_of_it(tmp_path):
    def change(config):
        first, second, third = config["config"]["layers"][1:4]
        first.update(class_name="Hologram", module="keras.layers")
        second["config"]["tilt"] = [1, 2]
        second["config"]["glow"] = True
        third["config"]["autocast"] = True
        third.update(class_name="Lambda", config={"name": "plus", "function": {
            "class_name": "__lambda__", "config": {"code": "4wEA", "defaults": None, "closure": None}}})  # fmt: skip

    path = changed(unpacked("attention", tmp_path), change)
    with pytest.raises(SavedFileError) as caught:
        keras.models.load_model(path, safe_mode=False)
    text = str(caught.value)
    assert "the layer keras.layers.Hologram ('embedding')" in text
    assert "the setting tilt=[1, 2] of 'multi_head_attention' (MultiHeadAttention)" in text
    assert "the setting glow=True" in text
    assert "a lambda in layer 'plus'" in text


def test_operations_of_keras(tmp_path):
    def change(config):
        for each in config["config"]["layers"]:
            if each["class_name"] == "GetItem":
                each.update(class_name="Relu", module="keras.src.ops.nn", config={"name": "relu_3"})

    path = changed(unpacked("compiled", tmp_path), change)
    with pytest.raises(SavedFileError, match=r"the operation keras.ops.relu \(step 'relu_3'\)"):
        keras.models.load_model(path)


def test_functions_of_users_in_lambdas(tmp_path):
    def change(config):
        function = {"module": "builtins", "class_name": "function", "config": "plus", "registered_name": "function"}
        settings = {"name": "plus", "arguments": {}, "function": function}
        config["config"]["layers"][-1].update(class_name="Lambda", config=settings)

    path = changed(unpacked("scaled", tmp_path), change)
    with pytest.raises(TypeError, match="Could not locate function 'plus'"):
        keras.models.load_model(path)
    with pytest.warns(UserWarning, match="no layers for.*layers/dense"):
        model = keras.models.load_model(path, custom_objects={"plus": lambda x: x + 1})
    assert model.layers[-1].name == "plus"


def test_damaged_files(tmp_path):
    path = unpacked("nested", tmp_path)
    data = path.read_bytes()
    for part in range(10):
        path.write_bytes(data[: len(data) * part // 10])
        with pytest.raises(SavedFileError, match="nested.keras"):
            keras.models.load_model(path)
    path.write_bytes(data)
    changed(path, lambda config: None, **{"model.weights.h5": b"nothing"})
    with pytest.raises(SavedFileError, match="model.weights.h5 in .*nested.keras is no HDF5 file, or damaged"):
        keras.models.load_model(path)
    changed(path, lambda config: None, **{"model.weights.h5": None, "model.weights.npz": b"PK"})
    with pytest.raises(SavedFileError, match="nested.keras has no model.weights.h5"):
        keras.models.load_model(path)
    path.write_bytes(data)
    changed(path, lambda config: config["config"]["layers"][2]["config"].update(units=10**9))
    with pytest.raises(SavedFileError, match="larger than all weights that the file holds"):
        keras.models.load_model(path)
    path.write_bytes(data)
    changed(path, lambda config: config["config"]["layers"][2]["config"].update(units=4))
    with pytest.raises(SavedFileError, match="nested.keras"):
        keras.models.load_model(path)


def test_weights_alone_of_a_model_file(tmp_path):
    path = unpacked("nested", tmp_path)
    model = models.nested(keras)
    model.load_weights(path)
    agree(model, "nested")
    with pytest.raises(ValueError, match="`by_name` only supports"):
        model.load_weights(path, by_name=True)


def test_without_h5py_an_error_names_the_extra(tmp_path, monkeypatch):
    path = unpacked("nested", tmp_path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"autograph-py\[h5\]"):
        keras.models.load_model(path)


# Files that are written


def save_and_load(model, path, **settings):
    model.save(path, weights_format="h5")
    return keras.models.load_model(path, **settings)


@pytest.mark.parametrize("name", [*NAMES, "compiled", "own"])
def test_files_in_the_layout_of_keras_come_back(name, tmp_path):
    model = models.MODELS[name](keras) if name in NAMES else getattr(models, name)(keras)
    classes = models.own_classes(keras) if name == "own" else None
    again = save_and_load(model, tmp_path / "m.keras", custom_objects=classes)
    for found, wanted in zip(outputs(again, name), outputs(model, name), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert again.compiled == model.compiled
    if model.compiled:
        for found, wanted in zip(again.optimizer.variables, model.optimizer.variables, strict=True):
            np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
    save_and_load(model, tmp_path / "folder", custom_objects=classes)


def written(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def kinds(value):
    """The modules and classes of what a configuration holds."""
    if isinstance(value, list):
        return set().union(*map(kinds, value), set())
    if not isinstance(value, dict):
        return set()
    own = {(value.get("module"), value["class_name"])} if isinstance(value.get("class_name"), str) else set()
    return own.union(*map(kinds, value.values()), set())


@pytest.mark.parametrize("name", [*NAMES, "compiled"])
def test_members_and_classes_are_those_of_keras(name, tmp_path):
    model = keras.models.load_model(unpacked(name, tmp_path))
    model.save(tmp_path / "ours.keras", weights_format="h5")
    ours, wanted = written(tmp_path / "ours.keras"), written(tmp_path / f"{name}.keras")
    assert ours.keys() == wanted.keys()
    configs = [json.loads(members["config.json"]) for members in (ours, wanted)]
    assert kinds(configs[0]) == kinds(configs[1])
    assert {each: ours[each] for each in ours if each.startswith("assets")} == {
        each: wanted[each] for each in wanted if each.startswith("assets")}  # fmt: skip


def test_what_files_of_keras_do_not_hold(tmp_path):
    words = layers.StringLookup()
    words.adapt(np.array(["a", "b\nc"]))
    model = keras.Sequential([layers.Input((1,), dtype="string"), words])
    with pytest.raises(ValueError, match="tokens with line breaks"):
        model.save(tmp_path / "m.keras", weights_format="h5")
    with pytest.raises(ValueError, match="weights_format is"):
        model.save(tmp_path / "m.keras", weights_format="npz")
    model.save(tmp_path / "m.keras")
    assert sorted(written(tmp_path / "m.keras")) == ["config.json", "metadata.json", "model.safetensors"]


def test_settings_that_keras_has_in_other_forms(tmp_path):
    model = keras.Sequential([
        layers.Input((8, 2)), layers.ZeroPadding1D(1), layers.Cropping1D((1, 2)), layers.SpatialDropout1D(0.5),
        layers.Conv1DTranspose(2, 2),
    ])  # fmt: skip
    again = save_and_load(model, tmp_path / "m.keras")
    found = json.loads(written(tmp_path / "m.keras")["config.json"])["config"]["layers"]
    settings = {each["class_name"]: each["config"] for each in found}
    assert settings["ZeroPadding1D"]["padding"] == [1, 1] and settings["Cropping1D"]["cropping"] == [1, 2]
    assert "data_format" not in settings["Cropping1D"] and "trainable" not in settings["SpatialDropout1D"]
    assert "groups" not in settings["Conv1DTranspose"]
    np.testing.assert_array_equal(again(models.wave(2, 8, 2)), model(models.wave(2, 8, 2)))
