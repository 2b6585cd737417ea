"""Plans: readable source, dead nodes, errors at the user's lines, big graphs."""

from __future__ import annotations

import builtins
import re
import subprocess
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, OutOfRangeError
from autograph.runtime.base.dtypes import float32
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Type
from autograph.runtime.ops.control import call_node
from autograph.runtime.ops.host.host import assert_node, raise_node

from ...graphs import INT, cond, graph_of, run, while_loop

VECTOR = Type(float32, (None,))


def source(graph: Any) -> str:
    return re.sub(r" +# \S+:\d+", "", Plan(graph).source)


def test_source_is_readable() -> None:
    def function(n: Any, limit: Any) -> Any:
        def body(i: Any) -> Any:
            return cond(i % 2 == 0, lambda: [i * 3], lambda: [i + 1])

        return while_loop(lambda i: i < limit, body, [n])

    assert source(graph_of(function, INT, INT, name="example")) == "\n".join([
        "def example(x0, x1):",
        "    x0 = x0[()]",
        "    x1 = x1[()]",
        "    s0 = x0",
        "    while True:",
        "        less = s0 < x1",
        "        if not less: break",
        "        remainder = s0 % int32_2",
        "        equal = remainder == int32_0",
        "        if equal:",
        "            multiply = s0 * int32_3",
        "            cond = multiply",
        "        else:",
        "            add = s0 + int32_1",
        "            cond = add",
        "        s0 = cond",
        "    return (s0, )",
        "",
    ])  # fmt: skip


def test_lines_name_the_users_lines() -> None:
    def function(x: Any) -> Any:
        return x + 1

    line = function.__code__.co_firstlineno + 1
    assert (
        f"add = x0 + int32_1                            # test_plan.py:{line}" in Plan(graph_of(function, INT)).source
    )


def test_what_nothing_needs_is_dropped() -> None:
    def function(x: Any) -> Any:
        unused = x * 2 + 5
        a, b = cond(x > 0, lambda: [x * 3, x * 4], lambda: [x + unused, x])
        del a
        tf.print("effects stay")
        return b

    text = source(graph_of(function, INT))
    assert "op_print" in text and "int32_4" in text
    assert "int32_3" not in text and "int32_5" not in text


def test_arrays_are_released_after_their_last_use() -> None:
    text = source(graph_of(lambda x: (x + 1) * 2 - 3, VECTOR))
    assert text.index("multiply =") < text.index("del add") < text.index("subtract =") < text.index("del multiply")


def test_names_never_collide() -> None:
    names = [
        "op_add",
        "as_string",
        "int32_1",
        "class",
        "1x",
        "abs",
        "add",
        "add_1",
        "x 0",
        "lambda",
        "test",
        "const_1",
        "ü",
    ]

    def function(x: Any) -> Any:
        values = [tf.identity(x + i, name=name) for i, name in enumerate(names)]
        return [abs(value) + 1 for value in values] + [tf.constant([1, 2]) + x]

    result = run(graph_of(function, INT), 5)
    assert result == [[*range(6, 6 + len(names))][i] for i in range(len(names))] + [[6, 7]]


def test_functions_may_be_called_like_builtins() -> None:
    @tf.function
    def abs(x: Any) -> Any:
        return x if x > 0 else -x

    assert int(abs(tf.constant(-3))) == 3
    assert int(tf.function(builtins.abs)(tf.constant(-3))) == 3


def failing_kernel(x: Any) -> Any:
    return tf.constant([1, 2])[x]


def failing_raise(x: Any) -> Any:
    return cond(x > 2, lambda: [raise_node(KeyError("too", "big")) or x], lambda: [x])


def failing_assert(x: Any) -> Any:
    assert_node(x < 3, AssertionError("x is", x))
    return x


def failing_shape(x: Any) -> Any:
    return tf.reshape(tf.range(x), (2, 2))


FAILURES = [
    (failing_kernel, OutOfRangeError, "out of bounds"), (failing_raise, KeyError, "big"),
    (failing_assert, AssertionError, "x is"), (failing_shape, InvalidArgumentError, "reshape"),
]  # fmt: skip


@pytest.mark.parametrize(
    "runner", [lambda g, *a: Plan(g).run(*a), lambda g, *a: interpret(g, a)], ids=["plan", "interpreter"]
)
@pytest.mark.parametrize(("function", "kind", "text"), FAILURES, ids=lambda f: getattr(f, "__name__", ""))
def test_errors_show_the_users_line(function: Any, kind: Any, text: str, runner: Any) -> None:
    graph = graph_of(function, INT)
    with pytest.raises(kind, match=text) as caught:
        runner(graph, np.array(7, np.int32))
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    name = function.__name__ if function is not failing_raise else "<lambda>"
    assert (frame.filename, frame.name) == (__file__, name)
    assert frame.lineno in range(function.__code__.co_firstlineno + 1, function.__code__.co_firstlineno + 3)
    if hasattr(caught.value, "file"):
        assert (caught.value.file, caught.value.line) == (__file__, frame.lineno)


def test_the_failing_call_is_on_the_traceback() -> None:
    inner = graph_of(failing_kernel, INT, name="inner")

    def outer(x: Any) -> Any:
        return call_node(inner, [x + 1])

    with pytest.raises(OutOfRangeError) as caught:
        Plan(graph_of(outer, INT)).run(np.array(7, np.int32))
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-2:] == [
        "outer",
        "failing_kernel",
    ]


def test_each_raise_makes_a_fresh_exception() -> None:
    plan = Plan(graph_of(lambda x: [raise_node(ValueError("no")) or x], INT))
    errors = []
    for _ in range(2):
        with pytest.raises(ValueError, match="^no$") as caught:
            plan.run(np.array(1, np.int32))
        errors.append(caught.value)
    assert errors[0] is not errors[1] and type(errors[0]) is ValueError


def test_no_warnings_for_what_tensors_define() -> None:
    graph = graph_of(lambda x: [x / 0, x * 2147483647], INT)
    assert run(graph, 2)[0] == float("inf")


BIG = """
import numpy as np
import autograph as tf
from autograph.runtime.base.dtypes import float32
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ops.control import finish_graph
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace import building

graph = Graph("big")
x = SymbolicTensor(graph.parameter(Type(float32, (2,)), "x"))
with building(graph):
    for _ in range(100_000):
        x = x + x
    finish_graph(graph, [x])
result = Plan(graph).run(np.zeros(2, np.float32))
assert result[0].tolist() == [0, 0] and len(graph.nodes) == 100_001
"""


def test_graphs_of_100000_nodes() -> None:
    # In a process of its own: what earlier tests leave behind, such as a tracing function, would make it slow.
    subprocess.run([sys.executable, "-c", BIG], check=True, timeout=120)
