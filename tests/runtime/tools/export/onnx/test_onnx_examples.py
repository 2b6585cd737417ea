"""The programs in `examples/`: what they trace runs in onnxruntime, and gives the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as tf
from examples import beam_search, collatz, digits, dynamic_rnn
from tests.runtime.tools.export.onnx.common import check_same, run_model


def check_concrete(
    concrete: Any, arrays: list[Any], path: Path, drop_assertions: bool = False, **tolerance: float
) -> None:
    """Exports a trace, and compares what it and the model give."""
    tf.export.onnx(concrete, path, drop_assertions=drop_assertions)
    names = [value.node.name for value in concrete.graph.parameters]
    expected = concrete.call_flat([tf.constant(x) for x in arrays])
    results = run_model(path, dict(zip(names, arrays, strict=True)))
    for one, other in zip(tf.nest.flatten(expected), results, strict=True):
        check_same(one.numpy(), other, **tolerance)


def test_collatz(tmp_path: Path) -> None:
    concrete = tf.function(collatz.survey).get_concrete_function(tf.TensorSpec((None,), tf.int64))
    check_concrete(concrete, [np.arange(1, 40)], tmp_path / "model.onnx")


def test_beam_search(tmp_path: Path) -> None:
    trigrams = beam_search.count_trigrams(beam_search.read_words())
    allowed = beam_search.allowed_letters("2388")
    concrete = beam_search.beam_search.get_concrete_function(tf.constant(trigrams), tf.constant(allowed), 8)
    check_concrete(concrete, [trigrams, allowed], tmp_path / "model.onnx")


def test_dynamic_rnn(tmp_path: Path) -> None:
    inputs, lengths = dynamic_rnn.one_hot(dynamic_rnn.read_lines())
    cell, state = dynamic_rnn.Cell(dynamic_rnn.UNITS), np.zeros((len(lengths), dynamic_rnn.UNITS), np.float32)
    specs = [tf.TensorSpec((None, None, dynamic_rnn.LETTERS)), tf.TensorSpec((None,), tf.int32),
             tf.TensorSpec((None, dynamic_rnn.UNITS))]  # fmt: skip
    concrete = dynamic_rnn.dynamic_rnn.get_concrete_function(cell, *specs)
    check_concrete(concrete, [inputs, lengths, state], tmp_path / "model.onnx", rtol=1e-4, atol=1e-5)


def test_lbfgs(tmp_path: Path) -> None:
    lbfgs = pytest.importorskip("examples.lbfgs")
    features, labels = lbfgs.load()
    arrays = [np.zeros(features.shape[1]), features, labels]
    concrete = tf.function(lbfgs.minimize).get_concrete_function(*map(tf.constant, arrays), 1e-4, 30)
    check_concrete(concrete, arrays, tmp_path / "model.onnx", drop_assertions=True, rtol=1e-6, atol=1e-8)


def test_training_of_digits(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    given = tf.nest.map_structure(tf.constant, digits.training_arguments(digits.load()))
    concrete = tf.function(digits.train).get_concrete_function(*given)
    arrays = [x.numpy() for x in tf.nest.flatten(given)]
    check_concrete(concrete, arrays, tmp_path / "model.onnx", rtol=1e-3, atol=1e-4)


def test_models(tmp_path: Path) -> None:
    keras_digits = pytest.importorskip("examples.keras_digits")
    model = keras_digits.new_model()
    images = np.random.default_rng(0).uniform(0, 1, (3, 8, 8)).astype(np.float32)
    tf.export.onnx(model, tmp_path / "model.onnx", tf.TensorSpec((None, 8, 8)))
    (result,) = run_model(tmp_path / "model.onnx", {"inputs": images})
    check_same(model(images).numpy(), result, rtol=1e-5, atol=1e-5)


def test_language_model(tmp_path: Path) -> None:
    language_model = pytest.importorskip("examples.language_model")
    model = language_model.LanguageModel()
    numbers = np.arange(2 * 64, dtype=np.int32).reshape(2, 64) % 90
    expected = model(numbers).numpy()
    tf.export.onnx(model, tmp_path / "model.onnx", tf.TensorSpec((None, 64), tf.int32))
    (result,) = run_model(tmp_path / "model.onnx", {"inputs": numbers})
    check_same(expected, result, rtol=1e-4, atol=1e-4)
