"""Gradients in the op records agree with finite differences, on the samples where the op is smooth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph.errors import InvalidArgumentError
from autograph.runtime import ops  # noqa: F401
from autograph.runtime.convert import convert_to_tensor, wrap
from autograph.runtime.op import OPS, Op

from .test_ops import CASES, outputs, promoted

STEP = 1e-6
# Lists are no arrays to take differences of.
SKIPPED = {"list_push", "list_set", "list_from_tensor", "list_stack_like"}
# Only one triangle is read, but the gradient is spread over both, as TensorFlow does.
SYMMETRIC = {"cholesky"}


def is_float(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f"


def cases() -> list[Any]:
    found = []
    for case in CASES:
        record, inputs, attributes = case.values
        if record.gradient is None or record.effect or record.name in SKIPPED:
            continue
        smooth = all(not is_float(x) or (np.isfinite(x).all() and (np.abs(x) < 50).all()) for x in inputs)
        if smooth and any(is_float(x) and x.size for x in inputs):
            if not any(getattr(x, "dtype", None) is not None and x.dtype.kind == "c" for x in inputs):
                found.append(case)
    return found


def value(record: Op, inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
    return [np.asarray(wrap(x)) for x in outputs(record.numpy(*inputs, **attributes))]


@pytest.mark.parametrize("record, inputs, attributes", cases())
def test_gradient_is_the_slope(record: Op, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, [x.astype(np.float64) if is_float(x) else x for x in inputs])
    attributes = {key: v for key, v in attributes.items() if not (key == "dtype" and record.name == "cast")}
    if record.name == "cast":
        attributes["dtype"] = convert_to_tensor(np.float64(0)).dtype
    with np.errstate(all="ignore"):
        results = value(record, arrays, attributes)
        if not all(is_float(x) for x in results[:1]) or not all(np.isfinite(x).all() for x in results if is_float(x)):
            pytest.skip("the sample lies outside the domain")
        random = np.random.default_rng(0)
        weights = [random.standard_normal(x.shape) if is_float(x) else np.zeros_like(x) for x in results]
        tensors, outs, gs = ([wrap(x) for x in group] for group in (arrays, results, weights))
        several = isinstance(record.numpy(*arrays, **attributes), tuple)
        g, out = (tuple(gs), tuple(outs)) if several else (gs[0], outs[0])
        try:
            grads = record.gradient(g, out, *tensors, **attributes)
        except InvalidArgumentError as error:
            assert "no gradient yet" in str(error)
            pytest.skip(str(error))
        assert len(grads) == len(arrays)
        for i, (x, grad) in enumerate(zip(arrays, grads, strict=True)):
            if is_float(x) and grad is not None:
                left, right = slopes(record, arrays, i, attributes, weights)
                grad = np.asarray(grad)
                assert grad.shape == x.shape and grad.dtype == x.dtype
                expected = (left + right) / 2
                smooth = np.abs(right - left) < 1e-3 * (1 + np.abs(expected))
                if record.name in SYMMETRIC:
                    expected = (expected + np.swapaxes(expected, -1, -2)) / 2
                np.testing.assert_allclose(grad[smooth], expected[smooth], rtol=1e-4, atol=1e-5)


def slopes(record: Op, arrays: list[Any], i: int, attributes: Any, weights: list[Any]) -> tuple[Any, Any]:
    """The slopes to the left and to the right of each element: they differ at a kink or a jump."""

    def total(moved: Any) -> float:
        values = value(record, [*arrays[:i], moved, *arrays[i + 1 :]], attributes)
        return sum((w * v).sum() for w, v in zip(weights, values, strict=True) if is_float(v))

    left, right = np.zeros(arrays[i].shape), np.zeros(arrays[i].shape)
    here = total(arrays[i])
    for place in np.ndindex(arrays[i].shape):
        for sign, result in ((-1, left), (1, right)):
            moved = arrays[i].copy()
            moved[place] += sign * STEP
            result[place] = (total(moved) - here) / (sign * STEP)
    return left, right


def test_many_ops_have_gradients() -> None:
    assert len([record for record in OPS.values() if record.gradient is not None]) > 100
