"""What the tests of native code share: graphs of one op, and results that must agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph.config import settings
from autograph.runtime.engines import native
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import Op, type_of
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import SymbolicTensor


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever can be machine code is, from the first call on."""
    monkeypatch.setattr(settings, "native", True)
    monkeypatch.setattr(native.NATIVE, "work_of_compiling", lambda nodes: 0)


needs_llvm = pytest.mark.skipif(not native.is_available(), reason="llvmlite is not installed")


def graph_of_op(record: Op, inputs: Any, attributes: dict[str, Any]) -> Graph:
    """A graph with the op alone, of parameters (promoted as usual)."""
    graph = Graph("test")
    with trace.building(graph):
        symbols = [SymbolicTensor(graph.parameter(type_of(x))) for x in inputs]
        result = record(*symbols, **attributes)
        graph.outputs = [trace.value_of(x) for x in (result if isinstance(result, (list, tuple)) else [result])]
    return graph


def region_of(graph: Graph) -> Region:
    """The graph as machine code alone: an error if that is not possible."""
    return Region(graph, NATIVE, demanded=True)


SUMS = {"convolution", "convolution_filters", "convolution_transpose", "tensordot", "einsum"}
"""Ops that add up in another order than NumPy: where numbers cancel out, the rounding of their parts is left."""


def same(expected: Any, got: Any, ulps: int = 0, is_sum: bool = False) -> None:
    """Dtype, shape and values agree; floats up to some units in the last place: of sums, of the largest of them."""
    expected, got = np.asarray(wrap(expected).array), np.asarray(wrap(got).array)
    assert expected.dtype == got.dtype and expected.shape == got.shape
    if expected.dtype.kind != "f" or not ulps:
        np.testing.assert_array_equal(expected, got)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(expected[~finite], got[~finite])
    error = np.abs(expected[finite].astype(np.float64) - got[finite])
    tiny = np.finfo(expected.dtype).smallest_subnormal
    sizes = np.abs(expected[finite])
    if is_sum and sizes.size:
        sizes = sizes.max()
    allowed = ulps * np.maximum(np.spacing(sizes), tiny)
    assert (error <= allowed).all(), f"{got[finite][error > allowed]} is not {expected[finite][error > allowed]}"
