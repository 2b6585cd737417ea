"""Every op over its samples: a program gives what our kernels do, or says that it has failed, or is refused.

Each is exported with the shapes of its inputs, and with first dimensions that vary, one for all that are the same.
`AUTOGRAPH_EXAMPLES` above 1000 tries all samples of an op, not the first one alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import autograph as tf
from autograph.errors import SavingError
from autograph.runtime.base.dtypes import string, variant
from autograph.runtime.engines.xla import ops as ops
from autograph.runtime.engines.xla.supported import ENGINE
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import Op, Type
from autograph.runtime.tools.export.signatures import SignatureFunction
from tests.runtime.ops.test_ops import CASES, input_type, promoted, run
from tests.runtime.tools.export.stablehlo.common import run_here

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
UP_TO_SIGNS = {"eigh", "svd", "qr"}


def is_numeric(record: Op, arrays: list[Any]) -> bool:
    return ENGINE in record.lowerings and all(input_type(x).dtype not in (variant, string) for x in arrays)


def chosen() -> list[Any]:
    cases = [case for case in CASES if is_numeric(case.values[0], list(case.values[1]))]
    if int(os.environ.get("AUTOGRAPH_EXAMPLES", "0")) > 1000:
        return cases
    return list({case.values[0].name: case for case in reversed(cases)}.values())


def program_for(record: Op, arrays: list[Any], attributes: dict[str, Any], path: Path, blur: bool) -> None:
    graph = Graph("one")
    names = [f"x{i}" for i in range(len(arrays))]
    dimensions = {}
    types = [input_type(array) for array in arrays]
    if blur:
        for i, (name, array) in enumerate(zip(names, arrays, strict=True)):
            if np.ndim(array) and np.shape(array)[0] > 1:
                types[i] = Type(types[i].dtype, (None, *np.shape(array)[1:]))
                dimensions[name] = ",".join([f"n{np.shape(array)[0]}", *map(str, np.shape(array)[1:])])
    inputs = [graph.parameter(each, name) for each, name in zip(types, names, strict=True)]
    graph.outputs = list(graph.add(record, inputs, attributes).outputs)
    if any(value.type.dtype is variant for value in graph.outputs):
        pytest.skip("it gives a list")
    outputs = [f"y{i:02}" for i in range(len(graph.outputs))]
    concrete = SignatureFunction("one", graph, names, outputs)
    tf.export.stablehlo(concrete, path, errors="flag", dimensions=dimensions, platforms=["cpu"])


@pytest.mark.parametrize("blur", [False, True], ids=["shapes", "varying"])
@pytest.mark.parametrize("record, inputs, attributes", chosen())
def test_a_sample(record: Op, inputs: Any, attributes: dict[str, Any], blur: bool, tmp_path: Path) -> None:
    path = tmp_path / "program"
    arrays = promoted(record, inputs)
    if blur and not any(np.ndim(x) and np.shape(x)[0] > 1 for x in arrays):
        return
    try:
        program_for(record, arrays, attributes, path, blur)
    except SavingError:
        return
    found, failed = run_here(path, *arrays)
    if failed:
        return
    for one, other in zip(run(record, arrays, attributes), jax.tree.leaves(found), strict=True):
        check_close(record, np.asarray(one), np.asarray(other))


def check_close(record: Op, expected: np.ndarray, got: np.ndarray) -> None:
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
        return
    if record.name in UP_TO_SIGNS:
        expected, got = np.abs(expected), np.abs(got)
    limit = {2: 4e-3, 4: 2e-5, 8: 1e-9 if expected.dtype.kind == "f" else 2e-5}.get(expected.dtype.itemsize, 1e-9)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(got, expected, rtol=limit, atol=limit * largest, equal_nan=True)
