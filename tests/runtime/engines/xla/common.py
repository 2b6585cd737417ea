"""What the tests of XLA share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as tf
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.planning import demanded
from autograph.runtime.engines.region import Region
from autograph.runtime.engines.xla import XLA


def region_of(function: Callable[..., Any], *arguments: Any, **options: Any) -> Region:
    """A function's graph as an XLA program alone: an error if that is not possible."""
    return demanded(tf.function(function, **options).get_concrete_function(*arguments).optimized_graph, XLA)


def agree(function: Callable[..., Any], *arguments: Any, close: float = 0.0) -> Region:
    """The program gives what the plan gives: dtypes, shapes, and values, to within a relative error."""
    region = region_of(function, *map(tf.constant, arguments))
    given = [np.asarray(x) for x in map(tf.constant, arguments)]
    for expected, got in zip(Plan(region.graph).run(*given), region.run(*given), strict=True):
        expected, got = np.asarray(expected), np.asarray(got)
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=close, atol=close)
    assert region.is_compiled and not region.failures, region.reasons
    return region
