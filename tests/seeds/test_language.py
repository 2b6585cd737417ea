"""S10, S11, S13, S16 to S20: control flow, side effects, gradients, and the compiler's own interface."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import autograph as tf
from tests.errors.programs import shown

from .console import console


def test_s10_gradients_with_and_without_a_graph() -> None:
    @tf.function
    def add(a: Any, b: Any) -> Any:
        return a + b

    assert repr(add(tf.ones([2, 2]), tf.ones([2, 2]))) == (
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[2., 2.],\n       [2., 2.]], dtype=float32)>"
    )
    v = tf.Variable(1.0)
    for function in (add, add.python_function):
        with tf.GradientTape() as tape:
            result = function(v, 1.0)
        assert repr(tape.gradient(result, v)) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"


def keeps_going(x: Any) -> Any:
    return x % 7 != 0


def count(limit: Any) -> Any:
    found = 0
    for i in tf.range(limit):
        if i % 2 == 0:
            continue
        j = i
        while keeps_going(j):
            j += 1
            if j > 50:
                break
        if j > 50:
            return -found
        found += j
    return found


def test_s11_callees_and_all_kinds_of_control_flow() -> None:
    staged = tf.function(lambda limit: count(limit) * 2)
    for limit in (0, 5, 40, 60):
        assert staged(tf.constant(limit)).numpy() == count(limit) * 2
    assert staged.experimental_get_tracing_count() == 1
    assert count(60) < 0 < count(40), "both ways out are taken"


def test_s11_the_sum_of_even_items_and_its_source() -> None:
    @tf.function
    def sum_even(items: Any) -> Any:
        s = 0
        for c in items:
            if c % 2 > 0:
                continue
            s += c
        return s

    assert sum_even(tf.constant([10, 12, 15, 20])).numpy() == 42
    source = tf.autograph.to_code(sum_even.python_function)
    assert "ag__.for_stmt(items" in source and "ag__.if_stmt(c % 2 > 0" in source


def test_s13_side_effects_keep_their_order() -> None:
    v = tf.Variable(1)

    @tf.function
    def f(x: Any) -> Any:
        tf.print("before", v)
        v.assign(x)
        tf.print("assigned", v)
        if x > 1:
            v.assign_add(10)
            tf.print("added", v)
        return v * 2

    with console() as seen:
        assert f(tf.constant(2)).numpy() == 24
        assert f(tf.constant(1)).numpy() == 2
    assert seen.getvalue() == "before 1\nassigned 2\nadded 12\nbefore 12\nassigned 1\n"


def test_s16_products() -> None:
    def product(x: Any, y: Any, b: Any) -> Any:
        x = tf.matmul(x, y)
        x = x + b
        return x

    @tf.function
    def outer(x: Any) -> Any:
        return product(x, tf.constant([[2.0], [3.0]]), tf.constant(4.0))

    x, y, b = tf.constant([[1.0, 2.0]]), tf.constant([[2.0], [3.0]]), tf.constant(4.0)
    assert repr(tf.function(lambda a, b: tf.matmul(a, b))(x, y).numpy()) == "array([[8.]], dtype=float32)"
    assert repr(tf.function(product)(x, y, b).numpy()) == "array([[12.]], dtype=float32)"
    assert repr(outer(x).numpy()) == "array([[12.]], dtype=float32)"


def branches(x):
    if tf.reduce_sum(x) <= 1:
        return x * x
    else:
        return x - 1


def test_s17_the_branches() -> None:
    staged = tf.function(branches)
    with console() as seen:
        print("First branch, with graph:", staged(tf.constant(1.0)).numpy())
        print("Second branch, with graph:", staged(tf.constant([5.0, 5.0])).numpy())
    assert seen.getvalue() == "First branch, with graph: 1.0\nSecond branch, with graph: [4. 4.]\n"


def test_s18_the_generated_source() -> None:
    assert tf.autograph.to_code(branches) == (
        "def ag__branches(x):\n"
        "    def if_body():\n"
        "        return x * x\n"
        "    def else_body():\n"
        "        return x - 1\n"
        "    return ag__.if_stmt(ag__.call(tf.reduce_sum)(x) <= 1, if_body, else_body)\n"
    )


def test_s19_to_graph_and_trace() -> None:
    def absolute(x: Any) -> Any:
        if x < 0:
            x = -x
        return x

    converted = tf.autograph.to_graph(absolute)
    assert repr(converted(tf.constant(-2))) == "<tf.Tensor: shape=(), dtype=int32, numpy=2>"
    with console() as seen:
        for i in tf.range(10):
            tf.autograph.trace(i)
    assert seen.getvalue() == "".join([f"tf.Tensor({i}, shape=(), dtype=int32)\n" for i in range(10)])


PROGRAM = """
@tf.function
def f(x):
    if x < 0:
        x = -x
    return x

tf.autograph.set_verbosity({level}, alsologtostdout={stdout})
try:
    f(tf.constant(-2))
finally:
    tf.autograph.set_verbosity(0, alsologtostdout=False)
"""


@pytest.mark.parametrize("level", [0, 1, 2, 10])
def test_s20_verbosity(level: int, tmp_path: Path) -> None:
    seen = shown(PROGRAM.format(level=level, stdout=False), tmp_path / "one.py")
    assert all(line.startswith("err: ") for line in seen.splitlines())
    for text, least in (("line 2, in f: converted (staged)", 1), ("ag__.if_stmt(x < 0", 2), ("f after IfS", 3)):
        assert (text in seen.replace("Loads, Comparisons, ", "")) == (level >= least)
    twice = shown(PROGRAM.format(level=level, stdout=True), tmp_path / "two.py")
    assert "\n".join(line for line in twice.splitlines() if line.startswith("err: ")).strip() == seen
    assert twice.count("converted (staged)") == 2 * seen.count("converted (staged)")


def test_s20_the_environment_says_it_too(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import autograph as tf\n@tf.function\ndef f(x):\n    return x + 1\nf(tf.constant(1))\n")
    environment = {**os.environ, "AUTOGRAPH_VERBOSITY": "2", "PYTHONPATH": str(Path(tf.__file__).parents[1])}
    run = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)
    assert run.stdout == "" and "def ag__f(x):\n    return x + 1" in run.stderr
