"""Random programs over scalars, vectors and matrices, with loops, branches and stores: code, plan, interpreter agree.

All numbers are small whole ones, floats too, so that the order of sums does not matter and results are exact.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.errors import OutOfRangeError
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.graph import Graph
from tests.programs.profile import examples
from tests.runtime.engines.native.common import needs_llvm, same

pytestmark = needs_llvm
SCALARS, VECTORS, MATRICES = ("k", "n"), ("u", "v"), ("p", "q")


class Writer:
    """Draws one program, line by line."""

    def __init__(self, draw: Callable) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.loops = 0

    def choose(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def scalar(self, levels: int = 1) -> str:
        if levels == 0:
            return self.choose(*SCALARS, "2", "3", "-1", "5")
        x, y = self.scalar(levels - 1), self.scalar(levels - 1)
        return self.choose(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} // 3)", f"({x} % 7)", f"tf.maximum({x}, {y})",
            f"abs({x})", f"tf.reduce_sum({self.vector(0)})", f"tf.reduce_max({self.matrix(0)})",
            f"{self.choose(*VECTORS)}[{x} % 5]", f"{self.choose(*MATRICES)}[1, {x} % 5]",
            f"tf.cast(tf.argmin({self.vector(0)}), tf.int64)", f"tf.where({x} > {y}, {x}, 3)", x,
        )  # fmt: skip

    def vector(self, levels: int = 1) -> str:
        if levels == 0:
            return self.choose(*VECTORS)
        x, y = self.vector(levels - 1), self.vector(levels - 1)
        return self.choose(
            f"({x} + {y})", f"({x} - {self.scalar(0)})", f"({x} * {y} % 13)", f"{x}[::-1]", f"({x} // 4)", f"(-{x})",
            f"tf.where({x} > {y}, {x}, {self.scalar(0)})", f"{self.choose(*MATRICES)}[{self.scalar(0)} % 3]",
            f"tf.reduce_sum({self.matrix(0)}, axis=0)", f"tf.reduce_max({self.matrix(0)}, axis=0)",
            f"tf.concat([{x}[2:], {y}[:2]], 0)", f"tf.gather({x}, abs({y}) % 5)", f"{x}[{y} % 5]", x,
            f"tf.cast(tf.cast({x}, tf.float32) * 0.5, tf.int64)", f"tf.minimum({x}, {y})",
        )  # fmt: skip

    def matrix(self, levels: int = 1) -> str:
        if levels == 0:
            return self.choose(*MATRICES)
        x, y = self.matrix(levels - 1), self.matrix(levels - 1)
        return self.choose(
            f"({x} + {y})", f"({x} - {self.vector(0)})", f"({x} * {self.scalar(0)} % 11)", f"{x}[::-1]",
            f"tf.where({x} > {self.vector(0)}, {x}, {y})", f"tf.transpose(tf.reshape({x}, (5, 3)))", x,
            f"({x} - tf.reduce_min({y}, axis=1, keepdims=True))", f"tf.stack([{self.vector(0)}] * 3)",
            f"(tf.transpose({x})[1:4] @ {y} % 17)",
        )  # fmt: skip

    def statement(self, depth: int, indent: str) -> None:
        kind = self.draw(st.integers(0, 11 if depth < 3 else 7))
        if kind < 3:
            self.lines.append(f"{indent}k = {self.scalar(2)} % 101")
        elif kind < 5:
            self.lines.append(f"{indent}{self.choose(*VECTORS)} = {self.vector(2)} % 101")
        elif kind == 5:
            self.lines.append(f"{indent}{self.choose(*MATRICES)} = {self.matrix(2)} % 101")
        elif kind < 8:
            self.lines.append(indent + self.store())
        elif kind < 10:
            self.lines.append(f"{indent}if {self.scalar()} > {self.scalar(0)}:")
            self.block(depth + 1, indent + "    ")
            if self.draw(st.booleans()):
                self.lines.append(f"{indent}else:")
                self.block(depth + 1, indent + "    ")
        else:
            self.loops += 1
            head = f"for i{self.loops} in tf.range({self.choose('abs(n) % 4', '3', 'abs(k) % 3')}):"
            self.lines.append(indent + head)
            self.block(depth + 1, indent + "    ")

    def store(self) -> str:
        return self.choose(
            f"{self.choose(*VECTORS)}[{self.scalar()} % 5] = {self.scalar()} % 101",
            f"{self.choose(*VECTORS)}[1:4] = {self.vector()}[2:] % 101",
            f"{self.choose(*MATRICES)}[{self.scalar(0)} % 3] = {self.vector()} % 101",
            f"{self.choose(*MATRICES)}[:, {self.scalar(0)} % 5] = {self.scalar(0)}",
            # A constant out of range would be refused while tracing: a variable is, at run time.
            f"{self.choose(*VECTORS)}[{self.choose(*SCALARS, '2', '-1')}] = {self.scalar(0)}",
            f"u, v = v, {self.vector()}", "p, q = q, p", "w = u",
        )  # fmt: skip

    def block(self, depth: int, indent: str) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(depth, indent)


@st.composite
def programs(draw: Callable) -> str:
    writer = Writer(draw)
    for _ in range(draw(st.integers(2, 5))):
        writer.statement(0, "    ")
    lines = ["def program(n, u, v, p):", "    k = n % 5", "    q = p * 2", "    w = v", *writer.lines]
    return "\n".join([*lines, "    return k, u, v, p, q, w"]) + "\n"


def traced(source: str, n: int, seed: int) -> tuple[Graph, list[Any]]:
    """The optimised graph of a program, and arguments for it."""
    linecache.cache["<program>"] = len(source), None, source.splitlines(True), "<program>"
    names: dict = {"tf": tf}
    exec(compile(source, "<program>", "exec"), names)
    random = np.random.default_rng(seed)
    arguments = [np.array(n), *(random.integers(-9, 10, shape) for shape in ((5,), (5,), (3, 5)))]
    concrete = tf.function(names["program"]).get_concrete_function(*map(tf.constant, arguments))
    return concrete.optimized_graph, arguments


@examples(60)
@given(programs(), st.integers(-4, 9), st.integers(0, 3))
def test_random_programs(source: str, n: int, seed: int) -> None:
    graph, arguments = traced(source, n, seed)
    region = Region(graph, NATIVE, demanded=True)
    results: list[list] = []
    ways = [lambda: interpret(graph, arguments), lambda: Plan(graph).run(*arguments), lambda: region.run(*arguments)]
    for run in ways:
        try:
            results.append(list(run()))
        except OutOfRangeError:
            results.append([])
    for expected, planned, got in zip(*results, strict=True):
        same(expected, planned)
        same(expected, got)
    assert region.is_compiled or region.failures
