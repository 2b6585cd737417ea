"""What users see of the optimiser: the graph after it, its summary, the switches, and errors at their own lines."""

from __future__ import annotations

import subprocess
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.__main__ import main
from autograph.config import settings
from autograph.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from autograph.runtime.optimize import PASSES, options


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_options", dict(options._options))


def polynomial(x: Any) -> Any:
    return (x * 1.0 + (tf.constant(2.0) + 1.0)) * tf.sin(x) + tf.sin(x)


SPEC = tf.TensorSpec((3,), tf.float32)


def test_the_traced_graph_stays_as_it_is() -> None:
    concrete = tf.function(polynomial).get_concrete_function(SPEC)
    before, names = str(concrete.graph), [node.name for node in concrete.graph.as_graph_def().node]
    assert concrete(tf.constant([0.0, 1.0, 2.0])).shape == (3,)
    assert concrete.optimized_graph is not concrete.graph
    assert str(concrete.graph) == before and [node.name for node in concrete.graph.as_graph_def().node] == names
    ops = [node.op.name for node in concrete.optimized_graph.nodes if node.op.name not in ("constant", "placeholder")]
    assert ops == ["add", "sin", "multiply", "add"]
    assert "op_sin" in concrete.plan_code() and concrete.plan_code().count("op_sin") == 1


def test_gradients_are_those_of_the_traced_graph() -> None:
    @tf.function
    def function(x: Any) -> Any:
        return tf.stop_gradient(x) * x + tf.identity(x) * 1.0

    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert tape.gradient(y, x).numpy().tolist() == [2.0, 3.0]


def test_outputs_are_tensors_of_their_own() -> None:
    x = tf.constant([1.0, 2.0])
    y, z = tf.function(lambda x: (x * 1.0, x + 0.5 - 0.5 + tf.stop_gradient(x) * 0.0))(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(y)
        square = x * x
    assert tape.gradient(square, y) is None
    assert z.numpy().tolist() == [1.0, 2.0]


def test_the_summary_tells_what_each_pass_did() -> None:
    concrete = tf.function(polynomial).get_concrete_function(SPEC)
    first, *rest = concrete.optimized.summary().splitlines()
    assert first == "polynomial: 11 nodes -> 6"
    assert [line.split()[:2] for line in rest] == [
        ["folding", "1"], ["identities", "1"], ["sharing", "1"], ["dead_code", "2"],
    ]  # fmt: skip


def test_verbosity_3_logs_the_summary(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "verbosity", 3)
    tf.function(lambda x: x + (tf.constant(1) + 1), autograph=False)(tf.constant(1))
    assert "autograph: optimised <lambda>: 5 nodes -> 3\n  folding " in capsys.readouterr().err


def test_the_command_line_shows_the_graph_as_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{__name__}:polynomial"
    assert main(["graph", name, "--spec", "float32[3]"]) == 0
    traced = capsys.readouterr().out
    assert main(["graph", name, "--spec", "float32[3]", "--optimized"]) == 0
    shown = capsys.readouterr().out
    assert traced.count("= sin(") == 2 and shown.count("= sin(") == 1
    assert "polynomial: 11 nodes -> 6\n" in shown
    assert main(["graph", name, "--spec", "float32[3]", "--optimized", "--dot"]) == 0
    assert capsys.readouterr().out.startswith('digraph "polynomial" {')


def changed_by() -> set[str]:
    return set(tf.function(polynomial).get_concrete_function(SPEC).optimized.changes)


def test_each_option_switches_its_passes() -> None:
    assert changed_by() == {"folding", "identities", "sharing", "dead_code"}
    tf.config.optimizer.set_experimental_options({"constant_folding": False})
    assert changed_by() == {"identities", "sharing"}
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False, "constant_folding": True})
    assert changed_by() == {"folding", "dead_code"}
    tf.config.optimizer.set_experimental_options({"disable_model_pruning": True})
    assert changed_by() == {"folding"}
    tf.config.optimizer.set_experimental_options({"disable_model_pruning": False, "min_graph_nodes": 1000})
    assert changed_by() == set()


def test_every_pass_has_an_option() -> None:
    switched = {name for names in options._PASSES.values() for name in names}
    assert switched | {"dead_code"} == set(PASSES)


def test_everything_off() -> None:
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    concrete = tf.function(polynomial).get_concrete_function(SPEC)
    assert concrete.optimized_graph is concrete.graph and concrete.optimized.changes == {}
    assert concrete(tf.constant([0.0, 1.0, 2.0])).shape == (3,)


def test_options_are_those_of_tensorflow() -> None:
    start = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert tf.config.optimizer.get_experimental_options() == start
    tf.config.optimizer.set_experimental_options({"constant_folding": True, "layout_optimizer": False})
    found = tf.config.optimizer.get_experimental_options()
    assert found == {**start, "constant_folding": True, "layout_optimizer": False}
    found["constant_folding"] = False
    assert tf.config.optimizer.get_experimental_options()["constant_folding"] is True


def test_wrong_options_are_refused_and_change_nothing() -> None:
    before = tf.config.optimizer.get_experimental_options()
    with pytest.raises(InvalidArgumentError, match="there is no optimizer option 'constant_fold'; there are arith"):
        tf.config.optimizer.set_experimental_options({"constant_folding": False, "constant_fold": True})
    with pytest.raises(InvalidTypeError, match="'constant_folding' is of type bool, not 1"):
        tf.config.optimizer.set_experimental_options({"constant_folding": 1})
    with pytest.raises(InvalidTypeError, match="'min_graph_nodes' is of type int, not True"):
        tf.config.optimizer.set_experimental_options({"min_graph_nodes": True})
    assert tf.config.optimizer.get_experimental_options() == before
    with pytest.raises(AttributeError, match="no attribute 'optimiser'"):
        tf.config.optimiser  # noqa: B018


@pytest.mark.parametrize(("value", "expected"), [("0", "False"), ("1", "True"), ("", "True")])
def test_the_environment_switches_all_off(value: str, expected: str) -> None:
    code = (
        "import autograph as tf; f = tf.function(lambda x: x + (tf.constant(1) + 1), autograph=False)\n"
        "cf = f.get_concrete_function(tf.constant(1)); print(cf.optimized_graph is not cf.graph)"
    )
    environment = {"AUTOGRAPH_OPTIMIZE": value, "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == expected


# Never silently different.


def test_what_may_raise_raises_even_if_nothing_needs_it() -> None:
    @tf.function
    def function(x: Any) -> Any:
        x[10]
        return x

    assert function(tf.constant(np.zeros(11))).shape == (11,)
    spec = tf.TensorSpec((None,), tf.float32)
    with pytest.raises(OutOfRangeError, match="index 10 is out of bounds") as caught:
        function.get_concrete_function(spec)(tf.constant([1.0]))
    line = traceback.extract_tb(caught.value.__traceback__)[-1].line
    assert line == "x[10]"


def test_in_a_branch_it_raises_only_when_taken() -> None:
    @tf.function
    def function(x: Any, c: Any) -> Any:
        y = 0
        if c:
            x[10]
            y = 1
        return y

    x = tf.TensorSpec((None,), tf.float32)
    concrete = function.get_concrete_function(x, tf.TensorSpec((), tf.bool))
    assert concrete(tf.constant([1.0]), tf.constant(False)).numpy() == 0
    with pytest.raises(OutOfRangeError):
        concrete(tf.constant([1.0]), tf.constant(True))


def test_a_loop_of_no_turns_runs_nothing_of_its_body() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.float32), tf.TensorSpec((), tf.int32)])
    def function(x: Any, n: Any) -> Any:
        total = 0.0
        for _ in tf.range(n):
            total += x[7] + tf.reduce_max(x)
        return total

    assert function(tf.constant([], tf.float32), 0).numpy() == 0
    with pytest.raises(OutOfRangeError):
        function(tf.constant([], tf.float32), 1)


def test_the_error_of_a_shared_node_is_at_its_first_line() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.float32)])
    def function(x: Any) -> Any:
        first = x[3]
        second = x[3]
        return first + second

    with pytest.raises(OutOfRangeError) as caught:
        function(tf.constant([1.0]))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "first = x[3]"


def test_effects_keep_their_order_and_number(capsys: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(1)

    @tf.function
    def function(x: Any) -> Any:
        a = v + x
        v.assign_add(1)
        b = v + x
        for i in tf.range(2):
            tf.print("turn", i, x + 1)
            v.assign_add(x + 1)
        tf.print("turn", 7, x + 1)
        return a, b, v + x

    assert [part.numpy() for part in function(tf.constant(1))] == [2, 3, 7]
    assert capsys.readouterr().err == "turn 0 2\nturn 1 2\nturn 7 2\n"


def test_random_numbers_are_drawn_as_often_as_written() -> None:
    @tf.function
    def function() -> Any:
        tf.random.uniform([])
        return tf.random.uniform([]), tf.random.uniform([])

    tf.random.set_seed(3)
    eager = [tf.random.uniform([]).numpy() for _ in range(3)]
    tf.random.set_seed(3)
    a, b = function()
    assert a.numpy() != b.numpy() and len(set(eager)) == 3
    names = [node.op.name for node in function.get_concrete_function().optimized_graph.nodes]
    assert names.count("random_uniform") == 3
