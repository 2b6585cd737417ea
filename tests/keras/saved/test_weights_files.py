"""Weights in HDF5: files of the real Keras, and those written here."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import sys
import warnings

import numpy as np
import pytest

import autograph as tf
from autograph.errors import MissingExtraError, SavedFileError

from . import models

h5py = pytest.importorskip("h5py")
keras, layers = tf.keras, tf.keras.layers
DATA = pathlib.Path(__file__).parent / "data"
OUTPUTS = json.loads((DATA / "outputs.json").read_text())["outputs"]


def unpacked(name, folder):
    path = folder / f"{name}.weights.h5"
    path.write_bytes(gzip.decompress((DATA / f"{name}.weights.h5.gz").read_bytes()))
    return path


def listing(path):
    """The datasets of a file with shapes and values."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def groups(path):
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Group):
            found[name] = dict(item.attrs)

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def outputs(model, name):
    given = models.inputs(name)
    found = model(tf.constant(given) if name == "words" else given)
    return [np.asarray(each).ravel() for each in tf.nest.flatten(found)]


@pytest.mark.parametrize("name", models.MODELS)
def test_weights_of_keras_give_what_they_give_there(name, tmp_path):
    model = models.MODELS[name](keras)
    model.load_weights(unpacked(name, tmp_path))
    for found, wanted in zip(outputs(model, name), OUTPUTS[name], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", models.MODELS)
def test_what_is_written_has_the_layout_of_keras(name, tmp_path):
    original = unpacked(name, tmp_path)
    keras.utils.clear_session()
    model = models.MODELS[name](keras)
    model.load_weights(original)
    model.save_weights(tmp_path / "ours.weights.h5")
    ours, wanted = listing(tmp_path / "ours.weights.h5"), listing(original)
    assert ours.keys() == wanted.keys()
    for place, array in wanted.items():
        assert ours[place].dtype == array.dtype
        np.testing.assert_array_equal(ours[place], array)
    mine, theirs = groups(tmp_path / "ours.weights.h5"), groups(original)
    left_out = [place for place in theirs if "_softmax" in place or "_dropout_layer" in place]
    assert mine.keys() == theirs.keys() - set(left_out)
    # Keras numbers the names of other layers that it has made inside of some, too.
    assert {place for place in mine if mine[place] and not theirs[place]} == set()


@pytest.mark.parametrize("name", models.OPTIMIZERS)
def test_optimizers_of_keras_go_on(name, tmp_path):
    path = unpacked(name, tmp_path)
    model = models.trained(keras, name)
    new = keras.models.clone_model(model)
    new.compile(type(model.optimizer).from_config(model.optimizer.get_config()), "mse")
    new.load_weights(path)
    new.save_weights(tmp_path / "ours.weights.h5")
    ours, wanted = listing(tmp_path / "ours.weights.h5"), listing(path)
    assert ours.keys() == wanted.keys()
    for place, array in wanted.items():
        np.testing.assert_array_equal(ours[place], array)
    # The same step from the same state: what the model here has come to is what Keras has come to.
    for mine, other in zip(model.weights, new.weights, strict=True):
        np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=1e-4, atol=1e-5)


class Growing(keras.Model):
    """Layers come to lists after later attributes are set: Keras takes them in the order in which they come."""

    def __init__(self, first, second):
        super().__init__()
        self.z, self.y = [], []
        for _ in range(2):
            self.z.append(layers.Dense(2))
            self.y.append(layers.Dense(2))
        self.out = layers.Dense(2)
        self.z.append(layers.Dense(2))
        self.p = [second, first]
        self.w = {"k": [layers.Dense(2)]}
        self.y.append(layers.Dense(2))

    def call(self, x):
        for layer in [*self.z, *self.y, self.out, *self.p, *self.w["k"]]:
            x = layer(x)
        return x


def test_layers_come_in_the_order_in_which_a_model_gets_them(tmp_path):
    keras.utils.clear_session()
    model = Growing(layers.Dense(2, name="a"), layers.Dense(2, name="b"))
    model(np.ones((1, 2), np.float32))
    names = ["dense", "dense_1", "dense_2", "dense_3", "dense_4", "dense_5", "b", "a", "dense_6", "dense_7"]
    assert [layer.name for layer in model.layers] == names
    assert [weight.path.split("/")[1] for weight in model.weights][::2] == names
    model.save_weights(tmp_path / "m.weights.h5")
    saved = groups(tmp_path / "m.weights.h5")
    assert saved["layers/dense_1/vars"]["name"] == "dense_1"
    assert saved["layers/dense_6/vars"]["name"] == "b"


def dense(*units, names=(), activation=None, **settings):
    names = names or [f"layer_{number}" for number in range(len(units))]
    made = [layers.Dense(size, name=name, **settings) for size, name in zip(units, names, strict=True)]
    return keras.Sequential([layers.Input((3,)), *made])


def numbered(model, start=1):
    for number, variable in enumerate(model.weights):
        variable.assign(np.full(variable.shape, start + number if start else 0, np.float32))
    return model


def firsts(model):
    return [float(np.asarray(each).ravel()[0]) for each in model.weights]


def test_what_does_not_fit_is_said_in_full_and_changes_nothing(tmp_path):
    path = tmp_path / "a.weights.h5"
    numbered(dense(3, 3)).save_weights(path)
    model = numbered(dense(3, 4), 0)
    with pytest.raises(ValueError) as caught:
        model.load_weights(path)
    text = str(caught.value)
    assert "kernel of layer 'layer_1' (layers/dense_1) is of shape (3, 3) in the file, (3, 4) in the model" in text
    assert "bias of layer 'layer_1' (layers/dense_1) is of shape (3,) in the file, (4,) in the model" in text
    assert str(path) in text
    assert firsts(model) == [0, 0, 0, 0]
    model = numbered(dense(3, 3, 2), 0)
    with pytest.raises(ValueError, match=r"layer 'layer_2' \(layers/dense_2\) has 2 variables; the file has 0"):
        model.load_weights(path)
    assert firsts(model) == [0] * 6


def test_skip_mismatch_leaves_out_what_keras_leaves_out(tmp_path):
    path = tmp_path / "a.weights.h5"
    numbered(dense(3, 3)).save_weights(path)
    model = numbered(dense(3, 4), 0)
    with pytest.warns(UserWarning, match="'layer_1'.*left as they are"):
        model.load_weights(path, skip_mismatch=True)
    assert firsts(model) == [1, 2, 0, 0]
    model = numbered(keras.Sequential([layers.Input((3,)), layers.Dense(3, use_bias=False), layers.Dense(3)]), 0)
    with pytest.warns(UserWarning, match="has 1 variables; the file has 2"):
        model.load_weights(path, skip_mismatch=True)
    assert firsts(model) == [0, 3, 4]


def test_parts_that_only_the_file_has_are_left_out_with_a_warning(tmp_path):
    path = tmp_path / "a.weights.h5"
    numbered(dense(3, 3)).save_weights(path)
    model = dense(3)
    with pytest.warns(UserWarning, match="no layers for.*: layers/dense_1"):
        model.load_weights(path)
    assert firsts(model) == [1, 2]


def test_objects_to_skip_and_by_name(tmp_path):
    path = tmp_path / "a.weights.h5"
    numbered(dense(3, 3)).save_weights(path)
    model = numbered(dense(3, 3), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.load_weights(path, objects_to_skip=[model.layers[0]])
    assert firsts(model) == [0, 0, 3, 4]
    with pytest.raises(ValueError, match="`by_name` only supports"):
        model.load_weights(path, by_name=True)
    with pytest.raises(ValueError, match="Invalid keyword arguments: .'by_place'"):
        model.load_weights(path, by_place=True)
    model.save_weights(tmp_path / "plain")
    with pytest.raises(ValueError, match="`objects_to_skip` only supports"):
        model.load_weights(tmp_path / "plain", objects_to_skip=[])


def test_an_optimizer_that_is_another_stays_as_it_is(tmp_path):
    path = unpacked("Adam", tmp_path)
    model = models.trained(keras, "RMSprop")
    before = [np.asarray(each) for each in model.optimizer.variables]
    with pytest.warns(UserWarning, match="'rm_sprop' has 7 variables, the file 12"):
        model.load_weights(path)
    for old, new in zip(before, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(old, np.asarray(new))
    plain = keras.models.clone_model(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain.load_weights(path)  # it has no optimizer


def test_models_that_are_not_built(tmp_path):
    path = tmp_path / "a.weights.h5"
    numbered(dense(3, 3)).save_weights(path)
    model = keras.Sequential([layers.Dense(3)])
    for call in (model.load_weights, model.save_weights):
        with pytest.raises(ValueError, match="has no weights yet"):
            call(path)

    class Late(keras.Model):
        def __init__(self):
            super().__init__()
            self.one, self.two = layers.Dense(3), layers.Dense(3)

        def call(self, x, more=False):
            return self.two(x) if more else self.one(x)

    model, other = Late(), Late()
    model(np.ones((1, 3), np.float32))
    model(np.ones((1, 3), np.float32), more=True)
    model.save_weights(path)
    other(np.ones((1, 3), np.float32))
    with pytest.raises(ValueError, match=r"layer 'dense_\d+' \(\w+(/\w+)*\) has 0 variables, as it is not built"):
        other.load_weights(path)


def test_names_and_formats(tmp_path):
    model = numbered(dense(3))
    for name in ("m.h5", "m.hdf5", "m.keras"):
        with pytest.raises(ValueError, match=r"The filename must end in `.weights.h5`"):
            model.save_weights(tmp_path / name)
    # Files of earlier versions are in the safetensors format under any name.
    model.save_weights(tmp_path / "plain")
    os.replace(tmp_path / "plain", tmp_path / "old.weights.h5")
    other = dense(3)
    other.load_weights(tmp_path / "old.weights.h5")
    assert firsts(other) == [1, 2]
    model.save_weights(tmp_path / "new.weights.h5")
    with pytest.raises(ValueError, match="exists already"):
        model.save_weights(tmp_path / "new.weights.h5", overwrite=False)
    assert sorted(os.listdir(tmp_path)) == ["new.weights.h5", "old.weights.h5"]


def test_damaged_files_name_themselves_and_change_nothing(tmp_path):
    path = unpacked("nested", tmp_path)
    data = path.read_bytes()
    model = models.nested(keras)
    before = model.get_weights()
    pieces = [data[: len(data) * part // 20] for part in range(20)]
    for broken in (*pieces, data[:8], b"\x89HDF\r\n", b"hello" * 100):
        path.write_bytes(broken)
        with pytest.raises(SavedFileError, match="nested.weights.h5"):
            model.load_weights(path)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    with pytest.raises(FileNotFoundError, match="missing.weights.h5"):
        model.load_weights(tmp_path / "missing.weights.h5")


def test_hostile_files(tmp_path):
    path, model = tmp_path / "a.weights.h5", dense(3)
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["kernel"] = np.ones((3, 3), np.float32)
    with h5py.File(path, "w") as file:
        file["layers/dense/vars/0"] = h5py.ExternalLink(str(other), "kernel")
        file["layers/dense/vars/1"] = np.ones(3, np.float32)
    with pytest.raises(ValueError, match="has 2 variables; the file has 1"):
        model.load_weights(path)
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout((3, 3), np.float32)
        layout[:] = h5py.VirtualSource(str(other), "kernel", (3, 3))
        file.create_virtual_dataset("layers/dense/vars/0", layout)
        file["layers/dense/vars/1"] = np.ones(3, np.float32)
    with pytest.raises(SavedFileError, match="lies in another file"):
        model.load_weights(path)
    with h5py.File(path, "w") as file:
        file.create_dataset("layers/dense/vars/0", (1 << 20, 1 << 12), np.float32, chunks=(1, 1024), compression="gzip")
    with pytest.raises(SavedFileError, match="far more than the file has"):
        model.load_weights(path)


def test_other_number_formats(tmp_path):
    path, model = tmp_path / "a.weights.h5", dense(3)

    def written(kernel, **attributes):
        with h5py.File(path, "w") as file:
            file["layers/dense/vars/0"] = kernel
            file["layers/dense/vars/0"].attrs.update(attributes)
            file["layers/dense/vars/1"] = np.zeros(3, ">f8")

    values = np.arange(9).reshape(3, 3) / 4
    for kernel in (values.astype("f2"), values.astype(">f8")):
        written(kernel)
        model.load_weights(path)
        np.testing.assert_array_equal(np.asarray(model.weights[0]), values)
    upper_halves = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
    written(upper_halves.view("V2"), dtype="bfloat16")
    model.load_weights(path)
    np.testing.assert_array_equal(np.asarray(model.weights[0]), values)
    for kernel, dtype in ((values + 1j, "complex128"), (values.astype("S3"), "S3")):
        written(kernel)
        with pytest.raises(ValueError, match=r"kernel of layer 'layer_0' .*is (complex128|\|S3) in the file"):
            model.load_weights(path)


def test_weights_that_hdf5_does_not_hold(tmp_path):
    class Phases(keras.Model):
        def __init__(self):
            super().__init__()
            self.phase = tf.Variable([1j])

        def call(self, x):
            return x

    model = Phases()
    model(np.ones((1, 3), np.float32))
    with pytest.raises(ValueError, match="has the dtype complex128"):
        model.save_weights(tmp_path / "a.weights.h5")
    assert os.listdir(tmp_path) == []


def test_without_h5py_an_error_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "a.weights.h5"
    model = dense(3)
    model.save_weights(path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    for call in (model.save_weights, model.load_weights):
        with pytest.raises(MissingExtraError, match=r"autograph-py\[h5\]"):
            call(path)
