"""Variables in staged code: program order, control flow, creation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import StagedValueError, StagingError


def test_effects_keep_program_order(capsys: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def run(limit: Any) -> Any:
        tf.print("before", v[0])
        v.assign([5.0, 6.0])
        tf.print("after", v[0])
        assert v[0] == 5.0
        if v[1] > limit:
            v[0].assign(-1.0)
            tf.print("branch", v[0])
        while v[0] < 3.0:
            v.assign_add([2.0, 0.0])
        if v[0] > 100.0:
            raise ValueError("never")
        return v

    np.testing.assert_array_equal(run(tf.constant(0.0)), [3, 6])
    np.testing.assert_array_equal(run(tf.constant(9.0)), [5, 6])
    shown = "before 1\nafter 5\nbranch -1\nbefore 3\nafter 5\n"
    assert capsys.readouterr().err == shown


def test_an_error_leaves_what_was_assigned_before() -> None:
    v = tf.Variable(0)

    @tf.function
    def run(x: Any) -> None:
        v.assign(1)
        if x > 0:
            raise ValueError("stop")
        v.assign(2)

    with pytest.raises(ValueError, match="stop"):
        run(tf.constant(1))
    assert int(v) == 1


def test_graphs_see_what_is_assigned_outside() -> None:
    v = tf.Variable(1.0)
    traces = []

    @tf.function
    def scaled(x: Any) -> Any:
        traces.append(1)
        return x * v

    assert float(scaled(tf.constant(2.0))) == 2
    v.assign(10.0)
    assert float(scaled(tf.constant(2.0))) == 20 and len(traces) == 1
    concrete = scaled.get_concrete_function(tf.constant(2.0))
    assert [each is v for each in concrete.variables] == [True] and concrete.trainable_variables == (v,)
    assert "Variable:0" in str(concrete.graph) and "numpy" not in str(concrete.graph)


def test_results_and_updates_of_seed_004() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        return v.assign_add(x)

    assert [float(f(1.0)), float(f(2.0))] == [2, 4]


def test_conditions_loops_and_built_ins_read_variables() -> None:
    v, flag, w = tf.Variable(0), tf.Variable(True), tf.Variable([1, 2, 3])

    @tf.function
    def run() -> Any:
        while flag:
            v.assign_add(1)
            if v >= 3:
                flag.assign(False)
        total = 0
        for row in w:
            total += row
        chosen = [10, 20, 30, 40][v]
        return v, not flag, total, max(v, 10), len(w), v and w[0], 2 in w, chosen, f"{v}", 3 if flag else 4

    values = [each.numpy() if hasattr(each, "numpy") else each for each in run()]
    assert values == [3, True, 6, 10, 3, 1, True, 40, b"3", 4]


def test_slices_and_scatters_in_graphs() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def run(i: Any) -> Any:
        v[i].assign(10.0)
        v[1:].assign_add([1.0, 1.0])
        v[0].assign_sub(1.0)
        v.scatter_nd_update([[2]], [7.0])
        v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), [i]))
        return v.read_value()

    np.testing.assert_array_equal(run(tf.constant(1)), [0, 12, 7])


def test_shapes_are_checked_when_the_graph_runs() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def assign(x: Any) -> None:
        v.assign(x)

    with pytest.raises(ValueError, match="Shape mismatch"):
        assign(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(v, [1, 2, 3])


def test_branches_may_give_different_variables() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def pick(c: Any) -> Any:
        if c:
            w = a
        else:
            w = b
        w = w + 1.0
        a.assign_add(0.0)
        return w

    assert [float(pick(tf.constant(c))) for c in (True, False)] == [2, 3]


def test_a_choice_may_not_be_used_after_an_assignment() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def pick(c: Any) -> Any:
        w = a
        if c:
            w = b
        a.assign_add(100.0)
        return w

    with pytest.raises(StagingError, match="chose between the variable 'Variable:0'") as caught:
        pick(tf.constant(False))
    assert caught.value.line == pick.python_function.__code__.co_firstlineno + 5


def test_a_function_that_is_called_may_change_the_chosen_variable() -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    change = tf.function(lambda: a.assign_add(1.0))

    @tf.function
    def pick(c: Any) -> Any:
        w = a if c else b
        change()
        return w

    with pytest.raises(StagingError, match="chose between the variable"):
        pick(tf.constant(True))


def test_python_can_not_see_the_value_in_a_graph() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def peek() -> Any:
        return v.numpy()

    with pytest.raises(StagedValueError, match="used as a NumPy array: its value is known only when the graph runs"):
        peek()
    seen = []

    @tf.function
    def show() -> Any:
        seen.append(repr(v))
        return v

    show()
    assert seen == ["<tf.Variable 'Variable:0' shape=() dtype=float32>"]


def test_a_function_that_creates_a_variable_each_time_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        v = tf.Variable(1.0)
        v.assign_add(x)
        return v

    with pytest.raises(ValueError, match="only supports singleton tf.Variables created on the first call"):
        f(1.0)


class Lazy:
    """Creates its variables in the first call."""

    def __init__(self) -> None:
        self.v = self.w = None
        self.traces = 0

    @tf.function
    def __call__(self, x: Any) -> Any:
        self.traces += 1
        if self.v is None:
            start = tf.random.normal([2])
            self.v = tf.Variable(start, name="v")
            self.w = tf.Variable(start * 0.0 + self.v * x)
        return self.v.assign_add([x, x]) + self.w


def test_variables_are_created_once_and_start_with_values_computed_outside() -> None:
    lazy = Lazy()
    first = lazy(tf.constant(2.0))
    np.testing.assert_allclose(lazy.w, (lazy.v - 2) * 2, rtol=1e-5)
    np.testing.assert_allclose(first, lazy.v + lazy.w)
    assert lazy.traces == 1 and lazy.v.name == "v:0"
    lazy(tf.constant(2.0))
    assert lazy.traces == 1  # as in Python: what a trace does is done once, though it takes two to make variables
    with pytest.raises(ValueError, match="depends on 'x:0', which has no value"):
        Lazy().__call__.get_concrete_function(tf.TensorSpec((), tf.float32))


def test_inner_functions_create_variables_in_the_first_call_too() -> None:
    class Layer:
        w: Any = None

        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(x * 2.0)
            return self.w * x

    layer = Layer()
    inner = tf.function(layer)
    outer = tf.function(lambda x: inner(x) + 1.0)
    assert float(outer(tf.constant(3.0))) == 19
    assert float(outer(tf.constant(1.0))) == 7
    assert float(inner(tf.constant(1.0))) == 6


def test_no_variable_is_created_in_a_staged_branch() -> None:
    @tf.function
    def f(c: Any) -> Any:
        if c:
            tf.Variable(1.0)
        return c

    with pytest.raises(StagingError, match="created in a branch or loop that depends on a graph tensor"):
        f(tf.constant(True))


def test_gradients_through_staged_reads() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def power(n: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for i in tf.range(n):
                if i % 2 == 0:
                    y = y * v
                else:
                    y = y * v * v
        return tape.gradient(y, v)

    assert float(power(tf.constant(3))) == 4 * 2**3

    @tf.function
    def loss(x: Any) -> Any:
        return v * v * x

    with tf.GradientTape() as tape:
        y = loss(tf.constant(3.0))
    assert float(tape.gradient(y, v)) == 12


def test_getattr_and_hasattr_see_the_variable_itself() -> None:
    """They asked the variable's value, a tensor: `hasattr(v, "assign")` was False."""
    variable = tf.Variable([1.0, 2.0])
    samples = tf.data.Dataset.range(3)

    @tf.function
    def step(x: Any, method: str) -> Any:
        there = hasattr(variable, "assign"), hasattr(variable, "nothing"), "assign" in dir(variable)
        batched = sum(getattr(samples, "batch")(3))  # noqa: B009
        if x > 0:
            getattr(variable, method)([1.0, 1.0])
        return there, batched, variable.read_value()

    there, batched, value = step(tf.constant(1), "assign_add")
    assert [bool(each) for each in there] == [True, False, True]
    assert batched.numpy().tolist() == [0, 1, 2]
    assert value.numpy().tolist() == variable.numpy().tolist() == [2.0, 3.0]
    step(tf.constant(-1), "assign")
    assert variable.numpy().tolist() == [2.0, 3.0]


def test_type_is_that_of_the_variable_itself() -> None:
    """It was that of its value, a tensor."""
    variable = tf.Variable(1.0)
    samples = tf.data.Dataset.range(3)
    classes: list[type] = []

    @tf.function
    def step(x: Any, given: Any) -> Any:
        classes.extend([type(variable), type(given), type(samples)])
        return x * variable if type(variable) is tf.Variable else x

    assert float(step(tf.constant(2.0), variable)) == 2.0
    assert classes == [tf.Variable, tf.Variable, type(samples)]
