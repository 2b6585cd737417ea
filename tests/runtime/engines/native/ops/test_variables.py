"""Variables that machine code reads and changes: they hold what the plan would have left in them."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.region import Region
from tests.programs.profile import examples
from tests.runtime.engines.native.common import at_once as at_once
from tests.runtime.engines.native.common import needs_llvm, same

pytestmark = needs_llvm


def check(make: Callable[[list[Any]], Callable[..., Any]], start: list[Any], *arguments: Any) -> Region:
    """Results and variables are those that the plan gives, twice in a row. ``make`` gets the variables."""
    variables = [tf.Variable(np.array(x)) for x in start]
    graph = tf.function(make(variables)).get_concrete_function(*arguments).optimized_graph
    plan, region = Plan(graph), Region(graph, NATIVE, demanded=True)
    runs = []
    for run in (plan.run, region.run):
        for variable, x in zip(variables, start, strict=True):
            variable.assign(np.array(x))
        results = [run(*arguments) for _ in range(2)]
        runs.append([*results[0], *results[1], *[variable.numpy() for variable in variables]])
    for expected, got in zip(*runs, strict=True):
        same(expected, got)
    assert region.is_compiled and not region.failures
    return region


def test_a_loop_that_trains() -> None:
    def make(variables):
        w, steps = variables

        def f(x, n):
            for _ in tf.range(n):
                w.assign_sub(0.5 * (w - x))
                steps.assign_add(1)
            return w + 1.0

        return f

    check(make, [np.zeros(70), 0], np.ones(70), np.array(5, np.int32))


def test_branches_that_assign() -> None:
    def make(variables):
        v, count = variables

        def f(x):
            before = v.read_value()
            if x[0] > 0:
                v.assign(x * 2.0)
                count.assign_add(10)
            elif x[1] > 0:
                count.assign(count + v.shape[0])
            return before, v + x

        return f

    for x in ([1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]):
        check(make, [[5.0, 6.0], 3], np.array(x))


def test_items_and_what_was_read_before() -> None:
    def make(variables):
        (v,) = variables

        def f(n):
            old = v.read_value()
            for i in tf.range(n):
                v[i].assign(v[i] * 2 + old[0])
                if i > 1:
                    v[0].assign(i)
            return old, v * 1

        return f

    check(make, [np.arange(5, dtype=np.int32)], np.array(4, np.int32))


def test_a_variable_that_is_another_for_each_turn() -> None:
    def make(variables):
        a, b = variables

        def f(n):
            for _ in tf.range(n):
                old = a.read_value()
                a.assign(b + 1.0)
                b.assign(old)
            return a - b

        return f

    check(make, [np.arange(65.0), -np.arange(65.0)], np.array(3, np.int32))


def test_an_error_leaves_what_was_assigned_before() -> None:
    v = tf.Variable(0)

    def f(x, n):
        for i in tf.range(n):
            v.assign_add(x[i])
        return v + 0

    x = np.array([1, 2, 3], np.int32)
    region = Region(tf.function(f).get_concrete_function(x, np.int32(1)).optimized_graph, NATIVE, demanded=True)
    region.run(x, np.array(3, np.int32))
    assert v.numpy() == 6
    with pytest.raises(tf.errors.OutOfRangeError):
        region.run(x, np.array(5, np.int32))
    assert v.numpy() == 12


def test_a_loop_is_compiled_while_it_changes_a_variable() -> None:
    v = tf.Variable(1)

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign((v * 7 + i) % 1009)

    f(tf.constant(300_000))
    expected = 1
    for i in range(300_000):
        expected = (expected * 7 + i) % 1009
    assert v.numpy() == expected
    assert "are machine code" in f.get_concrete_function(tf.constant(1)).compiled


@pytest.mark.usefixtures("at_once")
def test_effects_beside_variables_keep_their_order(capsys: Any) -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        for _ in tf.range(3):
            v.assign_add(x)
        tf.print(v, output_stream=sys.stdout)
        for _ in tf.range(3):
            v.assign(v * 2.0)
        tf.print(v, output_stream=sys.stdout)
        return v + 0.0

    assert f(tf.constant(1.0)) == 32
    assert capsys.readouterr().out == "4\n32\n"
    assert f.get_concrete_function(tf.constant(1.0)).compiled.count("are machine code") == 2


PIECES = (
    "v.assign(v + x)", "w.assign_add(x)", "v.assign_sub(w)", "x = v * 2 % 101", "x = x + w", "v[i % 3].assign(x[0])",
    "w[1:].assign(v[1:])", "v.assign(w)", "w.assign(x[::-1] % 50)", "x = tf.where(v > w, x, v)", "old = v.read_value()",
    "x = x + old",
)  # fmt: skip


@examples(15)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.booleans()), min_size=2, max_size=8), st.integers(0, 4))
def test_random_programs(pieces: Any, turns: int) -> None:
    lines = ["def f(x, n):", "    old = x", "    for i in tf.range(n):"]
    for text, guarded in pieces:
        lines += ["        if x[0] % 2 == 0:", f"            {text}"] if guarded else [f"        {text}"]
    lines += ["    return x, old"]
    name = f"<native variables {hash(tuple(lines))}>"
    linecache.cache[name] = (1, None, [line + "\n" for line in lines], name)

    def make(variables):
        namespace: dict[str, Any] = {"tf": tf, "v": variables[0], "w": variables[1]}
        exec(compile("\n".join(lines), name, "exec"), namespace)
        return namespace["f"]

    check(make, [np.array([1, 2, 3]), np.array([4, 5, 6])], np.array([7, -8, 9]), np.array(turns, np.int32))
