"""What the tests of the exporter share: running models, and how close results have to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import autograph as tf

TOLERANCE = {"float16": (2e-3, 1e-3), "float32": (3e-6, 1e-6), "float64": (1e-12, 1e-13)}


def run_model(model: Any, feeds: dict[str, Any]) -> list[Any]:
    """What onnxruntime gives for a model, or a file of one."""
    data = str(model) if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(None, {name: np.asarray(value) for name, value in feeds.items()})


def check_same(expected: Any, got: Any, **tolerance: float) -> None:
    """The same dtype, shape and values; NaN is NaN, and the last digits of floats may differ."""
    expected, got = np.asarray(expected), np.asarray(got)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "f":
        relative, absolute = TOLERANCE[expected.dtype.name]
        limits = {"rtol": relative, "atol": absolute} | tolerance
        np.testing.assert_allclose(got, expected, equal_nan=True, **limits)
    else:
        np.testing.assert_array_equal(got, expected)


def check_exported(function: Any, signature: Any, *calls: Any, folder: Path, **options: Any) -> onnx.ModelProto:
    """Exports a function, and compares what it and the model give for each tuple of arguments; gives the model."""
    path = folder / "model.onnx"
    traced = tf.function(function)
    tf.export.onnx(traced, path, signature, **options)
    model = onnx.load(path)
    names = [value.name for value in model.graph.input]
    concrete = traced.get_concrete_function(*signature)
    for arguments in calls:
        tensors = [tf.constant(x, spec.dtype) for x, spec in zip(arguments, signature, strict=True)]
        expected = tf.nest.flatten(concrete(*tensors))
        feeds = {name: x.numpy() for name, x in zip(names, tensors, strict=True)}
        for one, other in zip(expected, run_model(path, feeds), strict=True):
            check_same(one.numpy(), other)
    return model
