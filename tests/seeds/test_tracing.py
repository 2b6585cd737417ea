"""S01 to S09, S15, S21 to S25: when a function is traced, what it prints, and what it refuses."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf

from .console import console

INT = 'Tensor("a:0", shape=(), dtype=int32)'


def test_s01_the_wrapper_looks_like_the_function() -> None:
    def scaled(x: Any, by: float = 2.0) -> Any:
        """A number times another."""
        return x * by

    for wrapper in (tf.function(scaled), tf.function()(scaled), tf.function(autograph=True)(scaled)):
        assert wrapper.python_function is scaled
        assert (wrapper.__name__, wrapper.__doc__) == ("scaled", "A number times another.")
        assert inspect.signature(wrapper) == inspect.signature(scaled)
        assert wrapper(tf.constant(3.0)).numpy() == 6 and wrapper(tf.constant(3.0), by=3.0).numpy() == 9


def test_s02_the_same_dtypes_and_shapes_run_no_python() -> None:
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append((x.dtype, tuple(x.shape)))
        return x + x

    for value in (1, 2, 1.5, 2.5, [1], [2], [1, 2]):
        assert np.all(f(tf.constant(value)).numpy() == np.add(value, value))
    assert traces == [(tf.int32, ()), (tf.float32, ()), (tf.int32, (1,)), (tf.int32, (2,))]


def test_s03_tracing_without_a_call() -> None:
    def f(x: Any) -> Any:
        print("Running eagerly or tracing!")
        if tf.reduce_sum(x) <= 1:
            return x * x
        else:
            return x - 1

    with console() as seen:
        concrete = tf.function(f).get_concrete_function(tf.TensorSpec((2,), tf.float32))
    assert seen.getvalue() == "Running eagerly or tracing!\n"
    with console() as seen:
        assert list(concrete(tf.constant([3.0, 4.0])).numpy()) == [2, 3]
        assert list(concrete(tf.constant([0.5, 0.25])).numpy()) == [0.25, 0.0625]
    assert seen.getvalue() == ""


def test_s03_an_input_signature() -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape=(None, 4), dtype=tf.int32)])
    def following(x: Any) -> Any:
        return x + 1

    for rows in (1, 2, 5):
        assert np.all(following(tf.zeros((rows, 4), tf.int32)).numpy() == 1)
    assert following.experimental_get_tracing_count() == 1
    for wrong in (tf.zeros((2, 4)), tf.zeros((2, 3), tf.int32), tf.zeros(4, tf.int32)):
        with pytest.raises(TypeError, match=r"following\(\).*x.*"):
            following(wrong)


def test_s04_print_while_tracing_and_tf_print_on_every_call() -> None:
    @tf.function
    def f(x: Any) -> None:
        print("Traced with", x)
        tf.print("Executed with", x)

    with console() as seen:
        f(1)
        f(1)
        f(2)
    assert seen.getvalue() == "Traced with 1\nExecuted with 1\nExecuted with 1\nTraced with 2\nExecuted with 2\n"

    @tf.function
    def added(x: Any, y: int) -> Any:
        print(x)
        tf.print(x)
        return x + y

    with console() as seen:
        assert added(tf.constant(1), 2).numpy() == 3
    assert seen.getvalue() == 'Tensor("x:0", shape=(), dtype=int32)\n1\n'


@pytest.mark.parametrize("name", ["run_functions_eagerly", "experimental_run_functions_eagerly"])
def test_s05_a_debugger_stops_in_the_branch(name: str) -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            stopped.append(int(x))  # a breakpoint: here are values
            x = x + 1
        return x

    stopped: list[int] = []
    lines: list[int] = []
    first = f.python_function.__code__.co_firstlineno

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_name == "f" and event == "line":
            lines.append(frame.f_lineno - first)
        return trace

    getattr(tf.config, name)(True)
    try:
        sys.settrace(trace)
        result = f(tf.constant(1))
    finally:
        sys.settrace(None)
        getattr(tf.config, name)(False)
    assert (result.numpy(), stopped, lines) == (2, [1], [2, 3, 4, 5])
    assert f.experimental_get_tracing_count() == 0


def test_s06_the_nodes_of_a_graph() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.matmul(x, x) + 1.0

    graph = f.get_concrete_function(tf.TensorSpec((2, 2), tf.float32)).graph
    with console() as seen:
        for node in graph.as_graph_def().node:
            print(f"{node.input} -> {node.name}")
    lines = seen.getvalue().splitlines()
    assert lines == [
        "[] -> x",
        "['x', 'x'] -> matmul",
        "[] -> Const",
        "['matmul', 'Const'] -> add",
        "['add'] -> Identity",
    ]


def test_s07_python_arguments_are_pinned() -> None:
    traces = []

    @tf.function
    def added(x: Any, y: int) -> Any:
        traces.append(y)
        return x + y

    assert [added(tf.constant(1), y).numpy() for y in (2, 2, 3, 2, 3)] == [3, 3, 4, 3, 4]
    assert traces == [2, 3]
    concrete = added.get_concrete_function(tf.constant(1), 2)
    (_, y), keywords = concrete.structured_input_signature
    assert y == 2 and keywords == {}
    assert (
        concrete(tf.constant(5)).numpy()
        == concrete(tf.constant(5), 2).numpy()
        == concrete(x=tf.constant(5)).numpy()
        == 7
    )
    with pytest.raises(TypeError, match="was traced with y=2"):
        concrete(tf.constant(5), 3)


def test_s08_dicts_and_lists_are_flattened() -> None:
    traces = []

    @tf.function
    def total(d: Any) -> Any:
        traces.append(sorted(d))
        return sum(d[key][0] for key in sorted(d))

    one, two, row = tf.constant(1), tf.constant(2), tf.constant([1, 2])
    total({"a": [one], "b": [two]})
    total({"a": [two], "b": [one]})
    assert len(traces) == 1
    total({"a": [one], "c": [two]})
    total({"a": [one], "c": [row]})
    assert total({"a": [one, one], "c": [row]}).numpy().tolist() == [2, 3]
    assert len(traces) == 4 == total.experimental_get_tracing_count()
    inputs = total.get_concrete_function({"a": [one], "b": [two]}).inputs
    assert [each.shape.rank for each in inputs] == [0, 0]


def test_s09_arguments_that_are_changed() -> None:
    @tf.function
    def dict_op(d: Any, x: Any) -> Any:
        d["sum"] = d["a"] + x
        return d["sum"]

    @tf.function
    def list_op(values: Any) -> Any:
        values.append(values[0])
        return values[0]

    @tf.function
    def careful(d: Any) -> Any:
        d = dict(d)
        d["sum"] = d["a"] + d["b"]
        return d["sum"]

    text = (
        "{}() should not modify its Python input arguments. Check if it modifies any lists or dicts passed as "
        "arguments. Modifying a copy is allowed. The following parameter(s) were modified: {}"
    )
    given = {"a": tf.constant(1), "b": tf.constant(2)}
    with pytest.raises(ValueError) as error:
        dict_op(given, tf.constant(1))
    assert str(error.value) == text.format("dict_op", "d") and set(given) == {"a", "b"}
    with pytest.raises(ValueError) as error:
        list_op([tf.constant(1)])
    assert str(error.value) == text.format("list_op", "values")
    assert careful(given).numpy() == 3


def test_s15_functions_share_no_traces() -> None:
    def f() -> None:
        print("Tracing!")
        tf.print("Executing")

    with console() as seen:
        tf.function(f)()
        tf.function(f)()
    assert seen.getvalue() == "Tracing!\nExecuting\n" * 2


def test_s21_polymorphism() -> None:
    @tf.function
    def double(a: Any) -> Any:
        print("Tracing with", a)
        return a + a

    with console() as seen:
        for value in (1, 1.1, "a"):
            print(double(tf.constant(value)))
            print()
        print(double(tf.constant(3.5)))
    assert seen.getvalue() == (
        'Tracing with Tensor("a:0", shape=(), dtype=int32)\ntf.Tensor(2, shape=(), dtype=int32)\n\n'
        'Tracing with Tensor("a:0", shape=(), dtype=float32)\ntf.Tensor(2.2, shape=(), dtype=float32)\n\n'
        "Tracing with Tensor(\"a:0\", shape=(), dtype=string)\ntf.Tensor(b'aa', shape=(), dtype=string)\n\n"
        "tf.Tensor(7.0, shape=(), dtype=float32)\n"
    )


SIGNATURES = """\
same(a)
  Args:
    a: float32 Tensor, shape=()
  Returns:
    float32 Tensor, shape=()

same(a)
  Args:
    a: int32 Tensor, shape=()
  Returns:
    int32 Tensor, shape=()

same(a)
  Args:
    a: string Tensor, shape=()
  Returns:
    string Tensor, shape=()"""


def test_s22_concrete_functions() -> None:
    @tf.function
    def same(a: Any) -> Any:
        print("Tracing with", a)
        return a

    with console() as seen:
        for value in (1, 1.1, "a"):
            same(tf.constant(value))
    assert same.pretty_printed_concrete_signatures() == SIGNATURES
    with console() as seen:
        print("Obtaining concrete trace")
        concrete = same.get_concrete_function(tf.constant(3))
        print("Executing traced function")
        print(concrete(tf.constant(5)))
        print(concrete(a=tf.constant(6)))
    assert seen.getvalue() == (
        "Obtaining concrete trace\nExecuting traced function\n"
        "tf.Tensor(5, shape=(), dtype=int32)\ntf.Tensor(6, shape=(), dtype=int32)\n"
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        concrete(tf.constant(7.4))
    name = str(error.value).split()[2]
    assert name.startswith("__inference_same_") and str(error.value) == (
        f"cannot compute {name} as input #0(zero-based) was expected to be a int32 tensor but is a float tensor "
        f"[Op:{name}]"
    )


def test_s23_an_iterator_is_frozen_with_a_warning() -> None:
    def side_effect(iterator: Iterator[int]) -> None:
        variable.assign_add(next(iterator))
        tf.print("Value of variable:", variable)

    variable = tf.Variable(0)
    with console() as seen:
        values = iter([0, 1, 2, 3])
        for _ in range(3):
            side_effect(values)
    assert seen.getvalue() == "Value of variable: 0\nValue of variable: 1\nValue of variable: 3\n"

    variable = tf.Variable(0)
    staged = tf.function(side_effect)
    values = iter([0, 1, 2, 3])
    with console() as seen:
        with pytest.warns(UserWarning, match=r"next\(\) of a Python iterator .* frozen in the graph") as warned:
            staged(values)
        staged(values)
        staged(values)
    assert seen.getvalue() == "Value of variable: 0\n" * 3
    assert [(each.filename, each.lineno) for each in warned] == [(__file__, side_effect.__code__.co_firstlineno + 1)]


def test_s24_variables() -> None:
    @tf.function
    def new_each_time(x: Any) -> Any:
        v = tf.Variable(1.0)
        v.assign_add(x)
        return v

    with pytest.raises(ValueError, match=r"tf.function only supports singleton tf.Variables created on the first call"):
        new_each_time(1.0)

    class Counter:
        def __init__(self) -> None:
            self.v: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(1.0)
            return self.v.assign_add(x)

    counter = Counter()
    assert [counter(tf.constant(x)).numpy() for x in (1.0, 2.0)] == [2, 4]

    v = tf.Variable(1.0)

    @tf.function
    def added(x: Any) -> Any:
        return v.assign_add(x)

    with console() as seen:
        print(added(1.0))
        print(added(2.0))
    assert seen.getvalue() == "tf.Tensor(2.0, shape=(), dtype=float32)\ntf.Tensor(4.0, shape=(), dtype=float32)\n"


def test_s25_numbers_retrace_and_tensors_do_not() -> None:
    def train_one_step() -> None:
        pass

    @tf.function
    def train(num_steps: Any) -> None:
        print("Tracing with num_steps = {}".format(num_steps))
        for _ in tf.range(num_steps):
            train_one_step()

    with console() as seen:
        for number in (10, 20):
            train(num_steps=number)
        for number in (10, 20):
            train(num_steps=tf.constant(number))
    assert seen.getvalue() == (
        "Tracing with num_steps = 10\nTracing with num_steps = 20\n"
        'Tracing with num_steps = Tensor("num_steps:0", shape=(), dtype=int32)\n'
    )
    assert train.experimental_get_tracing_count() == 3
