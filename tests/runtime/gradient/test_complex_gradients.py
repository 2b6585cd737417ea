"""Gradients of complex numbers: the direction of steepest ascent, `dL/dRe + i dL/dIm`, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph.runtime.ir.op import Op
from autograph.runtime.tensors.convert import wrap

from ..ops.test_op_gradients import REFUSED, gradients
from ..ops.test_ops import CASES, outputs, promoted

STEP = 1e-6
# Only one triangle is read; the phases of eigenvectors and singular vectors are arbitrary.
SPECIAL = {"cholesky", "eig", "eigh", "svd"}


def is_complex(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "c"


def cases() -> list[Any]:
    found = []
    for case in CASES:
        record, inputs, attributes = case.values
        if callable(record.gradient) and record.name not in REFUSED | SPECIAL and any(map(is_complex, inputs)):
            if (
                all(not is_complex(x) or (x.size and np.isfinite(x).all()) for x in inputs)
                and "dtype" not in attributes
            ):
                found.append(case)
    return found


@pytest.mark.parametrize("record, inputs, attributes", cases())
@pytest.mark.filterwarnings("ignore:The dtype of the watched tensor")
def test_gradient_points_upwards(record: Op, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, [x.astype(np.complex128) if is_complex(x) else x for x in inputs])
    arrays = [x + (0.1 + 0.2j) if is_complex(x) and record.name != "inv" else x for x in arrays]  # off branch cuts
    with np.errstate(all="ignore"):
        results = [np.asarray(x) for x in outputs(record.numpy(*arrays, **attributes))]
        random = np.random.default_rng(0)
        weights = [weight_of(random, x) for x in results]
        found = gradients(record, [wrap(x) for x in arrays], attributes, weights)
        for i, x in enumerate(arrays):
            if is_complex(x):
                assert found[i] is not None or all(w is None for w in weights)
                if found[i] is None:
                    continue
                expected = ascent(record, arrays, i, attributes, weights)
                good = np.isfinite(expected)
                np.testing.assert_allclose(np.asarray(found[i])[good], expected[good], rtol=1e-4, atol=1e-5)


def weight_of(random: Any, x: Any) -> Any:
    if x.dtype.kind not in "fc":
        return None
    real = random.standard_normal(x.shape)
    return (real + 1j * random.standard_normal(x.shape) if x.dtype.kind == "c" else real).astype(x.dtype)


def ascent(record: Op, arrays: list[Any], i: int, attributes: Any, weights: list[Any]) -> Any:
    def loss(moved: Any) -> float:
        values = outputs(record.numpy(*arrays[:i], moved, *arrays[i + 1 :], **attributes))
        return sum((np.conj(w) * v).real.sum() for w, v in zip(weights, values, strict=True) if w is not None)

    result = np.zeros(arrays[i].shape, np.complex128)
    for place in np.ndindex(result.shape):
        for unit in (1, 1j):
            step = np.zeros_like(result)
            step[place] = unit * STEP
            result[place] += unit * (loss(arrays[i] + step) - loss(arrays[i] - step)) / (2 * STEP)
    return result
