"""Random programs with loops, branches and stores: XLA and the interpreter agree to the last bit."""

from __future__ import annotations

import linecache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.errors import OutOfRangeError
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.planning import demanded
from autograph.runtime.engines.xla import XLA
from tests.programs.profile import examples
from tests.runtime.engines.native.common import same
from tests.runtime.engines.native.test_programs import programs


@examples(12)
@given(programs(), st.integers(-4, 9), st.integers(0, 3))
def test_random_programs(source: str, n: int, seed: int) -> None:
    linecache.cache["<program>"] = len(source), None, source.splitlines(True), "<program>"
    names: dict = {"tf": tf}
    exec(compile(source, "<program>", "exec"), names)
    random = np.random.default_rng(seed)
    arguments = [np.array(n), *(random.integers(-9, 10, shape) for shape in ((5,), (5,), (3, 5)))]
    graph = tf.function(names["program"]).get_concrete_function(*map(tf.constant, arguments)).optimized_graph
    region = demanded(graph, XLA)
    results: list[list] = []
    for run in (lambda: interpret(graph, arguments), lambda: region.run(*arguments)):
        try:
            results.append(list(run()))
        except OutOfRangeError:
            results.append([])
    for expected, got in zip(*results, strict=True):
        same(expected, got)
    assert region.is_compiled or region.failures
