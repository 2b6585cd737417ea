"""The callback for TensorBoard: what `fit` leaves in event files."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as tf

pytest.importorskip("tensorboard")

from tests.runtime.tools.test_summary import events, values  # noqa: E402


def fit(folder, **settings):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = np.ones((8, 3), "f"), np.ones((8, 1), "f")
    callback = tf.keras.callbacks.TensorBoard(folder, **settings)
    return model.fit(x, y, batch_size=4, epochs=2, validation_data=(x, y), callbacks=[callback], verbose=0).history


def curves(folder):
    found = {}
    for tag, step, _, value in values(folder):
        found.setdefault(tag, {})[step] = float(np.asarray(value)) if np.ndim(value) == 0 else value
    return found


def test_curves_of_epochs(tmp_path):
    history = fit(tmp_path)
    train, validation = curves(tmp_path / "train"), curves(tmp_path / "validation")
    assert train.keys() == {"epoch_loss", "epoch_mae", "epoch_learning_rate"}
    assert validation.keys() == {"epoch_loss", "epoch_mae"}
    np.testing.assert_allclose([train["epoch_loss"][i] for i in (0, 1)], history["loss"], rtol=1e-6)
    np.testing.assert_allclose([validation["epoch_mae"][i] for i in (0, 1)], history["val_mae"], rtol=1e-6)
    assert any(event.graph_def for event in events(tmp_path / "train"))


def test_curves_of_batches_and_histograms(tmp_path):
    fit(tmp_path, update_freq="batch", histogram_freq=1, write_graph=False)
    train = curves(tmp_path / "train")
    assert list(train["batch_loss"]) == [1, 2, 3, 4]
    (kernel,) = [tag for tag in train if tag.endswith("kernel/histogram")]
    assert list(train[kernel]) == [0, 1]
    assert not any(event.graph_def for event in events(tmp_path / "train"))


def test_what_it_does_not_write(tmp_path):
    with pytest.raises(ValueError, match="leave profile_batch out"):
        tf.keras.callbacks.TensorBoard(tmp_path, profile_batch=2)
