"""SavedModels that TensorFlow 2.21 has written (`data/make.py`), read without it: they give what they gave there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AutographError, InvalidTypeError, SavedFileError, UnimplementedError

DATA = Path(__file__).with_name("data")


def loaded(name: str) -> tuple[Any, dict[str, np.ndarray]]:
    with np.load(DATA / name / "expected.npz") as arrays:
        return tf.saved_model.load(DATA / name), {key: arrays[key] for key in arrays}


def check_close(got: Any, expected: np.ndarray) -> None:
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(got, expected, rtol=3e-6, atol=1e-6, equal_nan=True)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["dense", "cnn", "lstm", "transformer"])
def test_a_network(name: str) -> None:
    model, arrays = loaded(name)
    check_close(model.serve(arrays["x"]), arrays["y"])
    check_close(model.signatures["serving_default"](x=tf.constant(arrays["x"]))["output_0"], arrays["y"])
    check_close(model.serve(arrays["x"][:1]), arrays["y"][:1])


def test_many_ops() -> None:
    model, arrays = loaded("ops")
    results = model.several(arrays["floats"], arrays["whole"])
    assert len(results) == 161
    for i, result in enumerate(results):
        check_close(result, arrays[f"r{i:03}"])


def test_control_flow_and_variables() -> None:
    programs, arrays = loaded("programs")
    assert [int(programs.collatz(n)) for n in (1, 27)] == [0, 111]
    assert int(programs.count) == 2
    x = arrays["x"]
    assert [int(programs.first_above(x, limit)) for limit in (2.0, 5.0, 9.0)] == [0, 1, -1]
    np.testing.assert_array_equal(programs.collected(x), x * np.arange(3, dtype=np.float32)[:, None])
    for i, result in enumerate(programs.pieces(x)):
        check_close(result, arrays[f"p{i:02}"])


def test_structures_traces_and_defaults() -> None:
    programs, arrays = loaded("programs")
    x = arrays["x"]
    found = programs.scaled(x)
    assert type(found["both"]) is tuple and type(found["both"][1]) is list
    np.testing.assert_array_equal(found["y"], x * [2.0, 3.0])
    np.testing.assert_array_equal(programs.scaled(x, power=2.0, negative=True)["y"], -x * np.float32([4.0, 9.0]))
    with pytest.raises(InvalidTypeError, match="has no trace for"):
        programs.scaled(x, 3.0)
    with pytest.raises(InvalidTypeError, match="has no trace for"):
        programs.scaled(x.astype(np.float64))
    assert sorted(programs.signatures) == ["collatz", "first_above"]
    assert int(programs.signatures["collatz"](n=tf.constant(6))["output_0"]) == 8


def test_objects_and_variables() -> None:
    programs, _ = loaded("programs")
    assert programs.scale.trainable and not programs.count.trainable
    assert programs.steps[1]["deep"].dtype == tf.int64 and int(programs.steps[1]["deep"]) == 7
    assert isinstance(programs, tf.Module) and len(programs.variables) == 4
    programs.scale.assign([1.0, 1.0])
    np.testing.assert_array_equal(programs.scaled(np.ones((3, 2), np.float32))["y"], np.ones((3, 2)))


def test_gradients_and_other_functions() -> None:
    model, arrays = loaded("dense")

    @tf.function
    def loss(x):
        return tf.reduce_sum(model.serve(x)[:, 0])

    with tf.GradientTape() as tape:
        value = loss(tf.constant(arrays["x"]))
    gradients = tape.gradient(value, model.trainable_variables)
    assert all(g is not None and np.isfinite(g).all() for g in gradients) and np.any(gradients[0])
    np.testing.assert_allclose(value, arrays["y"][:, 0].sum(), rtol=1e-5)


def test_it_can_be_exported(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    model, arrays = loaded("cnn")
    tf.export.onnx(model.serve.get_concrete_function(), tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    (name,) = [each.name for each in session.get_inputs()]
    check_close(session.run(None, {name: arrays["x"]})[0], arrays["y"])


def test_all_ops_that_are_not_read_are_named_when_the_function_is_called() -> None:
    model = tf.saved_model.load(DATA / "refused")
    np.testing.assert_array_equal(model.doubled([1.0, 2.0]), [2.0, 4.0])
    with pytest.raises(UnimplementedError, match=r"DecodeRaw \(node.*StaticRegexReplace \(.*StringToNumber \("):
        model.parsed(["a"])


# Damage


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "dense", tmp_path / "model")
    return tmp_path / "model"


def test_damaged_checkpoints(copy: Path) -> None:
    data = copy / "variables" / "variables.data-00000-of-00001"
    held = bytearray(data.read_bytes())
    held[10] ^= 1
    data.write_bytes(held)
    with pytest.raises(SavedFileError, match="does not fit its checksum"):
        tf.saved_model.load(copy)
    index = copy / "variables" / "variables.index"
    found = bytearray(index.read_bytes())
    found[20] ^= 1
    index.write_bytes(found)
    with pytest.raises(SavedFileError, match="a checksum does not fit"):
        tf.saved_model.load(copy)
    index.write_bytes(b"no index")
    with pytest.raises(SavedFileError, match="is no index of a checkpoint"):
        tf.saved_model.load(copy)


def test_a_graph_of_tensorflow_1(copy: Path) -> None:
    (copy / "saved_model.pb").write_bytes(b"\x08\x01")
    with pytest.raises(SavedFileError, match="is one of TensorFlow 1"):
        tf.saved_model.load(copy)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_graph_is_an_error_or_runs(seed: int, copy: Path) -> None:
    """Files have no checksum for the graph: bytes that are others must not crash, and what runs is a model."""
    path, random = copy / "saved_model.pb", np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    if seed % 3 == 0:
        data = data[: random.integers(len(data))]
    for _ in range(1 + seed % 5):
        data[random.integers(len(data))] = random.integers(256)
    path.write_bytes(data)
    try:
        model = tf.saved_model.load(copy)
        model.serve(np.zeros((2, 4), np.float32))
    except (AutographError, AttributeError):
        pass


def test_there_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path)
    os.mkdir(tmp_path / "saved_model.pb")
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path)
