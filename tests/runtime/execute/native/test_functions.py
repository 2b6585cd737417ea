"""The bounds that functions.py states, against references of higher precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph.runtime import ops  # noqa: F401  (declares the ops)
from autograph.runtime.op import OPS
from tests.runtime.execute.native.common import graph_of_op, needs_llvm, region_of

pytestmark = needs_llvm
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]


def points(name: str, dtype: Any) -> np.ndarray:
    generator = np.random.default_rng(0)
    info = np.finfo(dtype)
    if name == "log":
        exponents = generator.uniform(np.log2(float(info.smallest_subnormal)), np.log2(float(info.max)), 20_000)
        return np.concatenate([np.exp2(exponents), generator.uniform(0.5, 2, 20_000), SPECIAL]).astype(dtype)
    wide = 110 if dtype is np.float32 else 750
    small = generator.uniform(-1, 1, 20_000) * 10.0 ** generator.uniform(-8, 0, 20_000)
    return np.concatenate([generator.uniform(-wide, wide, 20_000), small, SPECIAL]).astype(dtype)


@pytest.mark.parametrize("dtype, wider", [(np.float32, np.float64), (np.float64, np.longdouble)])
@pytest.mark.parametrize("name, function, bound", [("exp", np.exp, 2), ("log", np.log, 2), ("tanh", np.tanh, 4)])
def test_functions_keep_their_bounds(
    name: str, function: Callable[..., Any], bound: int, dtype: Any, wider: Any
) -> None:
    if np.finfo(wider).nmant <= np.finfo(dtype).nmant:
        pytest.skip("this machine has no wider floats")
    x = points(name, dtype)
    got = region_of(graph_of_op(OPS[name], (x,), {})).run(x)[0]
    with np.errstate(all="ignore"):
        exact = function(x.astype(wider))
        rounded = exact.astype(dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    with np.errstate(all="ignore"):
        unit = np.maximum(np.spacing(np.abs(rounded[finite])), np.finfo(dtype).smallest_subnormal).astype(wider)
        error = np.abs(got[finite].astype(wider) - exact[finite]) / unit
    assert error.max() <= bound, f"{error.max()} ulps at {x[finite][error.argmax()]}"
    assert (np.signbit(got[finite]) == np.signbit(rounded[finite])).all()
