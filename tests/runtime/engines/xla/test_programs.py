"""Random programs with loops, branches and stores: XLA and the interpreter agree to the last bit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autograph.errors import OutOfRangeError
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.planning import demanded
from autograph.runtime.engines.xla import XLA
from tests.programs.profile import examples
from tests.runtime.engines.native.common import same
from tests.runtime.engines.native.test_programs import programs, traced


@examples(12)
@given(programs(), st.integers(-4, 9), st.integers(0, 3))
def test_random_programs(source: str, n: int, seed: int) -> None:
    graph, arguments = traced(source, n, seed)
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
