"""Random graphs of ops on all dtypes, with branches and loops: what the program gives, the plan gives."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.xla.program import compiled
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import type_of
from tests.runtime.engines.native.ops.test_random_ops import array_for, graph_for

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def normal_array(type_: Type, random: Random) -> Any:
    """Without the floats next to zero, which XLA takes for zero."""
    array = array_for(type_, random)
    if array.dtype.kind == "f":
        array[(array != 0) & (np.abs(array) <= np.finfo(array.dtype).tiny)] = 1
    return array


@pytest.mark.parametrize("seeds", [range(start, start + 8) for start in range(0, 40, 8)])
def test_random_ops(seeds: range) -> None:
    """Half of these graphs divide by zero or look outside: there the program gives up, and the plan runs."""
    agreed = 0
    for seed in seeds:
        random = Random(seed)
        graph = graph_for(random)
        arrays = [normal_array(value.type, random) for value in graph.inputs]
        program = compiled(graph, [type_of(x) for x in arrays])
        results = program(*arrays) if program is not None else False
        if results is not False:
            for expected, got in zip(Plan(graph).run(*arrays), results, strict=True):
                expected, got = np.asarray(expected), np.asarray(got)
                assert got.dtype == expected.dtype and got.shape == expected.shape
                close = 1e-5 if expected.dtype.kind == "f" else 0
                np.testing.assert_allclose(got, expected, rtol=close, atol=close * 1e-20)
            agreed += 1
    assert agreed > 0
