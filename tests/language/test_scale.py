"""Work is in proportion to the size of a program: lines of Python are counted, from its text to what is made of it."""

from __future__ import annotations

import linecache
from collections.abc import Callable

import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.base.deeper import deeper
from autograph.runtime.engines import native
from autograph.runtime.engines.native.run.assemble import Lowering
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.check import check
from autograph.runtime.ir.show import dot, text
from autograph.runtime.optimize import optimize
from tests.work import work


def function_of(lines: list[str], result: str) -> Callable:
    source = "\n".join(["def f(x):", *[f"    {line}" for line in lines], f"    return {result}"]) + "\n"
    name = f"<scale {len(lines)} {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    names = {"tf": tf}
    exec(compile(source, name, "exec"), names)
    return names["f"]


def elifs(n: int) -> Callable:
    tests = [line for i in range(n) for line in (f"elif x > {i}.0:", f"    y = x + {i}.0")]
    return function_of(["if x < 0.0:", "    y = x", *tests, "else:", "    y = x * 2.0"], "y")


def operands(n: int) -> Callable:
    tests = " and ".join(f"x > {i}.0" for i in range(n))
    return function_of([f"if {tests}:", "    x = x + 1.0"], "x")


def branches(n: int) -> Callable:
    return function_of([line for i in range(n) for line in (f"if x > {i}.0:", "    x = x + 1.0")], "x")


def loops(n: int) -> Callable:
    return function_of([line for i in range(n) for line in (f"while x < {i}.0:", "    x = x + 1.0")], "x")


def variables(n: int) -> Callable:
    turn = [f"    v{i} = v{i} * 2.0 + 1.0" for i in range(n)]
    return function_of([*[f"v{i} = x + {i}.0" for i in range(n)], "while v0 < 3.0:", *turn], "v0 + v1")


def stores_in_branches(n: int) -> Callable:
    return function_of(["d = {0: x}", f"for i in range({n}):", "    if x > 0.0:", "        d[0] = x + 1.0"], "d[0]")


def appends(n: int) -> Callable:
    turn = ["    items.append(x)", "    if x > 1.0:", "        x = x + 1.0"]
    return function_of(["items = []", f"for i in range({n}):", *turn], "items[0] + items[-1]")


def results(n: int) -> Callable:
    lines = [f"v{i} = {f'v{i - 1}' if i else 'x'} * 2.0 + x" for i in range(n)]
    return function_of(lines, "[" + ", ".join(f"v{i}" for i in range(n)) + "]")


def wide_nodes(n: int) -> Callable:
    return function_of([f"parts = [x + float(i) for i in range({n})]"], "tf.add_n(parts), tf.stack(parts)")


PROGRAMS = [(elifs, ()), (operands, ()), (branches, ()), (loops, ()), (variables, ()), (stores_in_branches, ()),
            (appends, ()), (results, (16,)), (wide_nodes, ())]  # fmt: skip


def cost(program: Callable[[int], Callable], shape: tuple[int, ...], n: int) -> dict[str, int]:
    """The work of each step."""
    function = tf.function(program(n))
    found: list = []
    result = {"trace": work(lambda: found.append(function.get_concrete_function(tf.ones(shape)).graph))}
    graph = found[0]
    for step in (optimize, Plan, check, text, dot):
        result[step.__name__] = work(lambda: step(graph))
    if native.is_available():
        lowering = Lowering(graph, [value.type for value in graph.inputs])
        result["lower"] = work(lowering.lower)
    return result


@pytest.mark.parametrize("program, shape", PROGRAMS)
def test_six_times_the_program_takes_six_times_the_work(
    program: Callable[[int], Callable], shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "checks", False)
    with deeper(20_000):
        cost(program, shape, 80)
        small, large = cost(program, shape, 40), cost(program, shape, 240)
    assert {step: large[step] / small[step] for step in large if large[step] > 7.2 * small[step]} == {}
