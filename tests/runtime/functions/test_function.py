"""`tf.function`: when it traces, how it is called, what it refuses, as a user sees it."""

from __future__ import annotations

import collections
import dataclasses
import functools
import gc
import inspect
import sys
import threading
import types
import weakref
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import InvalidArgumentError, SignatureError, StagingError
from autograph.runtime.ir.check import check


class Counter:
    """Counts traces: call it in a function body."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


# What the project's seeds show.


def test_wrapping_keeps_the_functions_face() -> None:  # S01
    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    for wrapped in (tf.function(add), tf.function()(add), tf.function(autograph=True)(add), tf.function(func=add)):
        assert wrapped.__name__ == "add" and wrapped.__doc__ == "Adds." and wrapped.python_function is add
        assert inspect.signature(wrapped) == inspect.signature(add)
        assert wrapped(tf.constant(1)).numpy() == 2


def test_the_same_kind_of_arguments_traces_once() -> None:  # S02
    traces = Counter()

    @tf.function
    def function(x: Any) -> Any:
        traces()
        return x + 1

    assert [int(function(tf.constant(i))) for i in range(3)] == [1, 2, 3] and traces.count == 1
    function(tf.constant([1]))
    function(tf.constant([1, 2]))
    function(tf.constant(1.0))
    assert traces.count == 4 == function.experimental_get_tracing_count()


def test_input_signature() -> None:  # S03
    traces = Counter()

    @tf.function(input_signature=[tf.TensorSpec(shape=(None, 4), dtype=tf.int32)])
    def py_function(x: Any) -> Any:
        traces()
        return x + 1

    for rows in (1, 2, 3):
        assert py_function(tf.constant([[1, 2, 3, 4]] * rows)).shape == (rows, 4)
    assert py_function([[1, 2, 3, 4]]).numpy().tolist() == [[2, 3, 4, 5]]
    assert py_function.get_concrete_function().inputs[0].shape.as_list() == [None, 4] and traces.count == 1
    wrong = [tf.constant([[1, 2, 3]]), tf.constant([[1.0, 2, 3, 4]]), "text", tf.constant(1)]
    for argument in wrong:
        with pytest.raises(SignatureError, match=r"py_function\(\) takes x: TensorSpec\(shape=\(None, 4\)"):
            py_function(argument)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        py_function()
    with pytest.raises(TypeError, match="too many positional"):
        py_function(1, 2)


def test_arrays_that_do_not_fit_an_input_signature() -> None:
    function = tf.function(lambda x: x, input_signature=[tf.TensorSpec((2,))])
    with pytest.raises(SignatureError, match=r"not TensorSpec\(shape=\(3,\), dtype=tf.float32"):
        function(np.ones(3, np.float32))


def test_input_signature_of_structures() -> None:
    spec = {"a": tf.TensorSpec((), tf.int32), "b": [tf.TensorSpec((None,), tf.float32)]}

    @tf.function(input_signature=(spec,))
    def function(d: Any) -> Any:
        return tf.cast(d["a"], tf.float32) + d["b"][0]

    assert function({"a": 1, "b": [[1.0, 2.0]]}).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(SignatureError, match="structure differs"):
        function({"a": 1})


def test_input_signature_of_more_arguments() -> None:
    scalar = tf.TensorSpec((), tf.float32)
    total = tf.function(lambda x, *more: x + sum(more), input_signature=[scalar] * 3)
    assert total(1, 2, 3).numpy() == total.get_concrete_function()(1.0, 2.0, 3.0).numpy() == 6
    with pytest.raises(SignatureError, match="structure differs"):
        total(1, 2, 3, 4)
    assert total.experimental_get_tracing_count() == 1


def test_an_input_signature_is_for_all_parameters_without_defaults() -> None:
    class Scale:
        @tf.function(input_signature=[tf.TensorSpec((), tf.float32)])
        def apply(self, x: Any, by: float = 2.0) -> Any:
            return x * by

    assert Scale().apply(3).numpy() == 6
    partial = tf.function(lambda x, y: x + y, input_signature=[tf.TensorSpec((), tf.float32)])
    with pytest.raises(SignatureError, match="has no entry for y of <lambda>"):
        partial(1, 2)


@pytest.mark.parametrize("entry", [None, 3, tf.float32, {"a": tf.constant(1.0)}])
def test_an_input_signature_has_only_specs(entry: Any) -> None:
    with pytest.raises(SignatureError, match="input_signature must be a structure of specs"):
        tf.function(lambda x: x, input_signature=[entry])


@pytest.mark.parametrize("value", [[1.0, 2.0], (1, 2), np.array([1.0, 2.0]), tf.Variable([1.0, 2.0])])
def test_concrete_functions_take_what_becomes_the_tensors_that_they_were_traced_for(value: Any) -> None:
    spec = tf.TensorSpec((None,), tf.float32)
    double = tf.function(lambda x: x * 2).get_concrete_function(spec)
    assert double(value).numpy().tolist() == double(x=value).numpy().tolist() == [2, 4]
    inside = tf.function(lambda d: d["x"][0] * 2).get_concrete_function({"x": [spec]})
    assert inside({"x": [value]}).numpy().tolist() == [2, 4]


def test_print_while_tracing_and_tf_print_while_running(capfd: pytest.CaptureFixture[str]) -> None:  # S04, S07
    @tf.function
    def f(x: Any) -> None:
        print("Traced with", x)
        tf.print("Executed with", x, output_stream=sys.stdout)

    f(1)
    f(1)
    f(2)
    assert capfd.readouterr().out == "Traced with 1\nExecuted with 1\nExecuted with 1\nTraced with 2\nExecuted with 2\n"


@pytest.mark.filterwarnings("ignore::autograph.runtime.functions.retracing.RetracingWarning")
def test_python_values_are_told_apart_by_type() -> None:  # S07
    @tf.function
    def function(x: Any) -> Any:
        return tf.constant(x)

    values = [1, 1.0, True, "1", b"1", 1 + 0j, -0.0, 0.0, float("nan"), float("nan")]
    results = [function(value) for value in values]
    assert function.experimental_get_tracing_count() == len(values) - 1  # NaN is like NaN
    assert [result.dtype for result in results[:6]] == [
        tf.int32,
        tf.float32,
        tf.bool,
        tf.string,
        tf.string,
        tf.complex128,
    ]
    assert str(results[6].numpy()) == "-0.0" and str(results[7].numpy()) == "0.0"


def test_equal_python_values_of_different_types_are_told_apart() -> None:  # S07
    function = tf.function(lambda x: tf.constant(type(x).__module__))
    for value in (np.dtype("float32"), tf.float32):
        assert function(value).numpy().decode() == type(value).__module__
    assert np.dtype("float32") == tf.float32
    assert function.experimental_get_tracing_count() == 2


@pytest.mark.parametrize(
    "values",
    [
        [frozenset([1, 2]), frozenset([1.0, 2]), frozenset([True, 2]), frozenset([(1,), 2]), frozenset([(True,), 2])],
        [{1: 5}, {1.0: 5}, {True: 5}, {0.0: 5}, {-0.0: 5}, {(1, 2): 5}, {(1.0, 2): 5}],
        [{1, 2}, {1, 2.0}, {2}], [range(3), range(1, 3), range(0, 3, 2), range(0, 4, 2)],
        [collections.deque([1, 2]), collections.deque([1.0, 2]), collections.deque([1])],
        [bytearray(b"a"), bytearray(b"b")], [frozenset([np.int32(1)]), frozenset([np.int64(1)]), frozenset([1])],
        [types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})],
        [collections.ChainMap({"a": 1}), collections.ChainMap({"a": 2})],
    ],
    ids=lambda values: type(values[0]).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::autograph.runtime.functions.retracing.RetracingWarning")
def test_containers_are_told_apart_by_what_they_hold(values: list[Any]) -> None:
    @tf.function
    def text(value: Any, inner: Any) -> Any:
        return tf.constant(repr(value) + repr(inner["x"]))

    for value in [*values, *values]:
        assert text(value, {"x": value}) == tf.constant(repr(value) * 2)
    assert text.experimental_get_tracing_count() == len(values)
    assert "the same arguments" not in text.explain()


@pytest.mark.parametrize(
    ("container", "change"),
    [({1}, lambda c: c.add(2)), (collections.deque([1]), lambda c: c.append(2)),
     (bytearray(b"a"), lambda c: c.extend(b"b")), (collections.deque([[1]]), lambda c: c[0].append(2))],
    ids=["set", "deque", "bytearray", "inner list"],
)  # fmt: skip
def test_a_container_that_the_caller_has_changed_is_traced_anew(container: Any, change: Any) -> None:
    @tf.function
    def text(value: Any) -> Any:
        return tf.constant(repr(value))

    before = repr(container)
    concrete = text.get_concrete_function(container)
    assert text(container) == tf.constant(before)
    change(container)
    assert text(container) == tf.constant(repr(container)) != tf.constant(before)
    assert concrete() == tf.constant(before)


def test_containers_with_attributes_are_told_apart_by_identity() -> None:
    class Tagged(set):
        pass

    class Word(str):
        pass

    @tf.function
    def tag(value: Any) -> Any:
        return tf.constant(value.tag)

    for kind in (lambda: Tagged([1]), lambda: Word("a")):
        one, other = kind(), kind()
        one.tag, other.tag = 1, 2
        assert [int(tag(one)), int(tag(other)), int(tag(one))] == [1, 2, 1]


def test_python_arguments_stay_in_the_concrete_signature() -> None:  # S07
    @tf.function
    def power(x: Any, exponent: int = 2) -> Any:
        return x**exponent

    cube = power.get_concrete_function(tf.TensorSpec((), tf.int32), 3)
    assert cube(tf.constant(2)).numpy() == 8 and cube(x=tf.constant(2), exponent=3).numpy() == 8
    assert cube.structured_input_signature == ((tf.TensorSpec((), tf.int32), 3), {})
    with pytest.raises(TypeError, match="exponent=3 and can't be called with exponent=2"):
        cube(tf.constant(2), 2)
    with pytest.raises(TypeError, match="misses the argument 'x'"):
        cube(exponent=3)


def test_structures_are_flattened() -> None:  # S08
    @tf.function
    def total(d: Any, items: Any) -> Any:
        return d["a"] + d["b"]["c"] + items[0] + items[1][0]

    def call(one: Any = 1) -> int:
        return int(total({"a": tf.constant(one), "b": {"c": tf.constant(2)}}, [tf.constant(3), (tf.constant(4),)]))

    assert call() == 10 and call(5) == 14 and total.experimental_get_tracing_count() == 1
    total({"a": tf.constant(1), "b": {"c": tf.constant(2)}, "new": 1}, [tf.constant(3), (tf.constant(4),)])
    total({"a": tf.constant([1]), "b": {"c": tf.constant(2)}}, [tf.constant(3), (tf.constant(4),)])
    assert total.experimental_get_tracing_count() == 3


def helper(x: Any) -> Any:
    while x > 10:
        for _ in range(2):
            x = x - 3
            if x < 5:
                break
    return x


def test_callees_convert_without_decoration() -> None:  # S11
    @tf.function
    def function(x: Any) -> Any:
        if x > 100:
            return tf.constant(-1)
        return helper(x)

    for value in (3, 11, 47, 101):
        assert function(tf.constant(value)).numpy() == (-1 if value > 100 else helper(value))
    assert function.experimental_get_tracing_count() == 1


class Model:
    def __init__(self, scale: int) -> None:
        self.scale = scale
        self.traces = 0

    @tf.function
    def call(self, x: Any, offset: int = 0) -> Any:
        """Scales."""
        self.traces += 1
        if tf.reduce_sum(x) > 0:
            return x * self.scale + offset
        return x // 2


def test_methods_have_traces_for_each_instance() -> None:  # S12
    one, two = Model(2), Model(3)
    assert one.call(tf.constant([1, 2])).numpy().tolist() == [2, 4] and two.call(
        tf.constant([1, 2])
    ).numpy().tolist() == [3, 6]
    assert one.call(tf.constant([-2, -4])).numpy().tolist() == [-1, -2]
    assert one.call.experimental_get_tracing_count() == two.call.experimental_get_tracing_count() == 1
    assert one.call.__name__ == "call" and one.call.__doc__ == "Scales."
    assert list(inspect.signature(one.call).parameters) == ["x", "offset"]
    assert Model.call.python_function is Model.__dict__["call"].python_function


def test_instances_are_not_kept_alive() -> None:  # S12
    model = Model(2)
    gone = weakref.ref(model)
    model.call(tf.constant([1]))
    del model
    gc.collect()
    assert gone() is None


@pytest.mark.filterwarnings("ignore::autograph.runtime.functions.retracing.RetracingWarning")
def test_traces_for_variables_that_are_gone_are_not_kept() -> None:
    @tf.function
    def total(parts: Any) -> Any:
        return parts["a"].assign_add(1.0) + parts["rest"][0]

    one, other = tf.Variable(1.0), tf.Variable(10.0)
    assert [float(total({"a": one, "rest": [other]})) for _ in range(2)] == [12.0, 13.0]
    assert float(total({"a": other, "rest": [one]})) == 14.0
    assert float(total({"a": one, "rest": [one]})) == 8.0
    assert total.experimental_get_tracing_count() == 3
    concrete = total.get_concrete_function({"a": one, "rest": [other]})
    assert total.experimental_get_tracing_count() == 3

    alive = []
    for _ in range(300):
        variable = tf.Variable(1.0)
        total({"a": variable, "rest": [variable]})
        alive.append(weakref.ref(variable))
    del variable
    gc.collect()
    assert sum(each() is not None for each in alive) <= 64  # some calls like the last ones are remembered
    assert len(total.trace_cache.by_key) < 200
    assert float(total({"a": one, "rest": [other]})) == 16.0
    assert float(concrete()) == 17.0
    assert total.experimental_get_tracing_count() == 303
    traces = weakref.ref(total.trace_cache)
    del total
    gc.collect()
    assert traces() is None


def test_a_method_wrapped_on_the_instance() -> None:
    class Plain:
        def call(self, x: Any) -> Any:
            return x + 1

    plain: Any = Plain()
    plain.call = tf.function(plain.call)
    assert plain.call(tf.constant(1)).numpy() == 2


def test_static_and_class_methods_and_callable_objects() -> None:
    class Tools:
        step = 5

        @staticmethod
        @tf.function
        def double(x: Any) -> Any:
            return x * 2

        @classmethod
        @tf.function
        def advance(cls, x: Any) -> Any:
            return x + cls.step

        def __call__(self, x: Any) -> Any:
            return x - self.step

    assert Tools.double(tf.constant(2)).numpy() == 4 and Tools().double(tf.constant(2)).numpy() == 4
    assert Tools.advance(tf.constant(2)).numpy() == 7
    assert tf.function(Tools())(tf.constant(7)).numpy() == 2
    assert tf.function(functools.partial(lambda x, y: x - y, y=3))(tf.constant(7)).numpy() == 4


def test_slots_without_weak_references() -> None:
    class Slotted:
        __slots__ = ()

        @tf.function
        def call(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError, match="__weakref__"):
        Slotted().call(tf.constant(1))


def test_functions_never_share_traces(capsys: pytest.CaptureFixture[str]) -> None:  # S15
    def f() -> None:
        print("Tracing!")
        tf.print("Executing", output_stream=sys.stdout)

    tf.function(f)()
    tf.function(f)()
    again = tf.function(tf.function(f))
    again()
    assert capsys.readouterr().out == "Tracing!\nExecuting\n" * 3


def test_matmul_examples() -> None:  # S16
    def callable_func(a: Any, b: Any) -> Any:
        return tf.matmul(a, b)

    result = tf.function(callable_func)(tf.constant([[1.0, 2.0]]), tf.constant([[2.0], [3.0]])).numpy()
    assert repr(result) == "array([[8.]], dtype=float32)"

    def inner_function(x: Any, y: Any, b: Any) -> Any:
        x = tf.matmul(x, y)
        x = x + b
        return x

    @tf.function
    def outer_function(x: Any) -> Any:
        y = tf.constant([[2.0], [3.0]])
        b = tf.constant(4.0)
        return inner_function(x, y, b)

    assert outer_function(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[12.0]]


def test_branches(capsys: pytest.CaptureFixture[str]) -> None:  # S17
    def my_function(x: Any) -> Any:
        if tf.reduce_sum(x) <= 1:
            return x * x
        else:
            return x - 1

    a_function = tf.function(my_function)
    print("First branch, with graph:", a_function(tf.constant(1.0)).numpy())
    print("Second branch, with graph:", a_function(tf.constant([5.0, 5.0])).numpy())
    assert capsys.readouterr().out == "First branch, with graph: 1.0\nSecond branch, with graph: [4. 4.]\n"


def test_polymorphism(capsys: pytest.CaptureFixture[str]) -> None:  # S21
    @tf.function
    def double(a: Any) -> Any:
        print("Tracing with", a)
        return a + a

    for value in (1, 1.1, "a"):
        print(double(tf.constant(value)))
    print(double(tf.constant(3)))
    assert capsys.readouterr().out.splitlines() == [
        'Tracing with Tensor("a:0", shape=(), dtype=int32)', "tf.Tensor(2, shape=(), dtype=int32)",
        'Tracing with Tensor("a:0", shape=(), dtype=float32)', "tf.Tensor(2.2, shape=(), dtype=float32)",
        'Tracing with Tensor("a:0", shape=(), dtype=string)', "tf.Tensor(b'aa', shape=(), dtype=string)",
        "tf.Tensor(6, shape=(), dtype=int32)",
    ]  # fmt: skip


def test_wrong_dtype_for_a_concrete_function() -> None:  # S22
    concrete = tf.function(lambda a: a, autograph=False).get_concrete_function(tf.constant(3))
    assert concrete(tf.constant(5)).numpy() == 5 and concrete(a=tf.constant(6)).numpy() == 6
    with pytest.raises(InvalidArgumentError, match=(
        r"cannot compute __inference_<lambda>_\d+ as input #0\(zero-based\) was expected to be a int32 tensor but is a "
        r"float tensor \[Op:__inference_<lambda>_\d+\]")):  # fmt: skip
        concrete(tf.constant(7.4))
    with pytest.raises(InvalidArgumentError, match=r"the shape \(\) but has \(1,\)"):
        concrete(tf.constant([1]))


def test_python_numbers_trace_anew_and_tensors_do_not(capsys: pytest.CaptureFixture[str]) -> None:  # S25
    def train_one_step() -> None:
        pass

    @tf.function
    def train(num_steps: Any) -> None:
        print("Tracing with num_steps = {}".format(num_steps))  # noqa: UP032 (as in the seed)
        for _ in tf.range(num_steps):
            train_one_step()

    train(num_steps=10)
    train(num_steps=20)
    assert capsys.readouterr().out == "Tracing with num_steps = 10\nTracing with num_steps = 20\n"
    train(num_steps=tf.constant(10))
    train(num_steps=tf.constant(20))
    assert capsys.readouterr().out.count("Tracing with num_steps") == 1 or train.experimental_get_tracing_count() == 3


# Beyond the seeds.


def test_running_eagerly() -> None:  # S05
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        if x > 0:
            seen.append(int(x))
            x = x + 1
        return x

    for switch in (tf.config.run_functions_eagerly, tf.config.experimental_run_functions_eagerly):
        switch(True)
        try:
            assert tf.config.functions_run_eagerly() and f(tf.constant(1)).numpy() == 2
        finally:
            switch(False)
    assert seen == [1, 1] and f.experimental_get_tracing_count() == 0 and not tf.config.functions_run_eagerly()


def test_results_of_every_structure() -> None:
    Pair = collections.namedtuple("Pair", "a b")

    @dataclasses.dataclass
    class Box:
        content: Any

    @tf.function
    def function(x: Any) -> Any:
        return {"a": x, "b": (x + 1, None, 1, 2.5, "s", True, np.ones(2))}, [Pair(x, [])], Box(x)

    first, second, third = function(tf.constant(1))
    assert first["a"].numpy() == 1 and first["b"][0].numpy() == 2 and first["b"][1] is None
    assert [leaf.dtype for leaf in first["b"][2:]] == [tf.int32, tf.float32, tf.string, tf.bool, tf.float64]
    assert second[0] == (second[0].a, []) and type(second[0]) is Pair and third.content.numpy() == 1
    assert tf.function(lambda: None)() is None and tf.function(lambda: ())() == ()


def test_results_that_are_no_tensors() -> None:
    @tf.function
    def function() -> Any:
        return object()

    with pytest.raises(TypeError, match="found return value of type object"):
        function()


def test_arguments_of_every_kind() -> None:
    @tf.function
    def function(a: Any, b: Any = 2, *rest: Any, k: Any = 3, **more: Any) -> Any:
        return a + b + sum(rest) + k + sum(more.values())

    one = tf.constant(1)
    assert [int(function(one)), int(function(one, b=2)), int(function(one, 2, k=3)), int(function(a=one))] == [6] * 4
    assert function.experimental_get_tracing_count() == 1
    assert int(function(one, 2, one, 10, k=0, z=one)) == 15
    with pytest.raises(SignatureError, match="missing a required argument: 'a'"):
        function(b=1)


def test_arrays_are_tensors_and_objects_are_themselves() -> None:
    class Config:
        factor = 3

    @tf.function
    def function(x: Any, config: Any) -> Any:
        return x * config.factor

    config = Config()
    assert function(np.float32([1, 2]), config).numpy().tolist() == [3, 6]
    function(np.float32([5, 6]), config)
    assert function.experimental_get_tracing_count() == 1
    function(np.float32([5, 6]), Config())
    assert function.experimental_get_tracing_count() == 2
    gone = weakref.ref(config)
    del config
    gc.collect()
    assert gone() is None


def test_bound_methods_and_types_as_arguments() -> None:
    class Scale:
        def apply(self, x: Any) -> Any:
            return x * 2

    @tf.function
    def function(x: Any, transform: Any) -> Any:
        return transform(x)

    scale = Scale()
    for _ in range(3):
        assert function(tf.constant(2), scale.apply).numpy() == 4
    assert function.experimental_get_tracing_count() == 1


def test_results_do_not_share_memory_with_arguments() -> None:
    array = np.ones(2)
    result = tf.function(lambda x: x)(array)
    array[0] = 9
    assert result.numpy().tolist() == [1, 1]


def test_captured_tensors() -> None:
    captured = tf.constant([1.0, 2.0])

    @tf.function
    def function(x: Any) -> Any:
        return x + captured

    assert function(tf.constant(1.0)).numpy().tolist() == [2, 3]


def test_nested_functions_trace_once() -> None:
    traces = Counter()

    @tf.function
    def inner(x: Any) -> Any:
        traces()
        return x * x

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x + 1)

    assert outer(tf.constant(3)).numpy() == 25 and traces.count == 1 and inner(tf.constant(4)).numpy() == 16
    assert traces.count == 1
    assert [node.op.name for node in outer.get_concrete_function(tf.constant(3)).graph.nodes].count("call") == 2


def test_nested_functions_see_the_outer_trace() -> None:
    @tf.function
    def outer(x: Any) -> Any:
        doubled = x * 2

        @tf.function
        def inner(y: Any) -> Any:
            return y + doubled

        return inner(x) + inner(x)

    assert outer(tf.constant(3)).numpy() == 18 and outer(tf.constant(1.0)).numpy() == 6


def test_a_nested_function_that_captures_is_traced_for_each_outer_trace() -> None:
    kept: dict[str, Any] = {}

    @tf.function(autograph=False)
    def inner(y: Any) -> Any:
        return y + kept["value"]

    @tf.function(autograph=False)
    def outer(x: Any, factor: int) -> Any:
        kept["value"] = x * factor
        return inner(x)

    assert outer(tf.constant(3), 2).numpy() == 9 and outer(tf.constant(3), 3).numpy() == 12


def test_a_capturing_function_after_a_rollback() -> None:
    @tf.function(autograph=False)
    def inner(y: Any) -> Any:
        return y + kept["value"]

    kept: dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        x = tf.constant(1) + 1
        for factor in (2, 3):
            mark = graph.mark()
            kept["value"] = x * factor
            y = inner(x)
            if factor == 2:
                graph.truncate(mark)
    graph.outputs = [y.value]
    check(graph)
    assert inner.experimental_get_tracing_count() == 2


def test_recursion_on_a_tensor_is_a_graph_that_calls_itself() -> None:
    @tf.function
    def factorial(n: Any) -> Any:
        if n <= 1:
            return tf.constant(1)
        return n * factorial(n - 1)

    assert factorial(tf.constant(4)).numpy() == 24 and factorial.experimental_get_tracing_count() == 1
    graph = factorial.get_concrete_function(tf.constant(4)).graph
    assert graph in [node.called for node in graph.walk() if node.op.name == "call"]


def test_recursion_without_an_end_is_refused() -> None:
    @tf.function
    def descend(n: Any) -> Any:
        if n > 0:
            return descend(n - 1)
        return descend(n + 1)

    with pytest.raises(StagingError, match=r"descend\(\) calls itself on every way") as caught:
        descend(tf.constant(4))
    assert caught.value.file == __file__ and caught.value.remedy


def test_a_failed_trace_leaves_nothing_behind() -> None:
    fail = [True]

    @tf.function
    def function(x: Any) -> Any:
        if fail:
            raise KeyError("first time")
        return x

    with pytest.raises(KeyError):
        function(tf.constant(1))
    fail.clear()
    assert function(tf.constant(1)).numpy() == 1 and tf.executing_eagerly()


def test_reduce_retracing_relaxes_shapes() -> None:
    @tf.function(reduce_retracing=True)
    def function(x: Any) -> Any:
        return tf.reduce_sum(x)

    for length in range(1, 6):
        assert function(tf.constant([1] * length)).numpy() == length
    assert function.experimental_get_tracing_count() == 2


def test_threads_share_one_trace() -> None:
    traces, results = Counter(), []
    ready = threading.Barrier(8)

    @tf.function
    def function(x: Any) -> Any:
        traces()
        for _ in range(200):
            x = x + 1
        return x

    def work(i: int) -> None:
        ready.wait()
        results.append(int(function(tf.constant(i))) - i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [200] * 8 and traces.count == 1


def test_looking_at_a_concrete_function() -> None:
    @tf.function
    def function(x: Any, n: int = 2) -> Any:
        return {"y": x * n}

    concrete = function.get_concrete_function(tf.TensorSpec((None,), tf.float32))
    assert [str(x.shape) for x in concrete.inputs] == ["(None,)"] and concrete.outputs[0].dtype is tf.float32
    assert concrete.captured_inputs == [] and concrete.graph.name == "function"
    assert concrete.structured_outputs["y"].name == "multiply:0"
    assert "multiply = x * float32_2_0" in concrete.plan_code()
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.float32, name=None)" in str(concrete)
    assert "n (POSITIONAL_OR_KEYWORD): Literal[2]" in str(concrete)
    assert function.get_concrete_function(tf.TensorSpec((None,), tf.float32)) is concrete
    assert concrete(tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [2, 4]


def test_wrong_use_of_the_decorator() -> None:
    with pytest.raises(TypeError, match="takes a function"):
        tf.function(3)
    with pytest.raises(TypeError, match="input_signature must be"):
        tf.function(lambda x: x, input_signature=tf.TensorSpec((), tf.int32))
    with pytest.raises(TypeError, match="2 entries, but <lambda>"):
        tf.function(lambda x: x, input_signature=[tf.TensorSpec((), tf.int32)] * 2)


def test_names_and_old_arguments_of_tensorflow() -> None:  # section F
    @tf.function(
        jit_compile=False, experimental_implements="f", experimental_relax_shapes=True, experimental_compile=None,
        experimental_follow_type_hints=True, experimental_attributes={},
        experimental_autograph_options=tf.autograph.experimental.Feature.ALL,
    )  # fmt: skip
    def double(x: Any) -> Any:
        return {"a": x * 2, "b": [x, None]}

    for n in (1, 2, 3):
        double(tf.zeros((n,)))
    assert double.experimental_get_tracing_count() == 2 and double.name == "double"
    concrete = double.get_concrete_function(tf.TensorSpec((None,), tf.float32))
    assert concrete.output_dtypes == {"a": tf.float32, "b": [tf.float32, None]}
    assert concrete.output_shapes["a"].as_list() == [None] and concrete.output_shapes["b"][1].rank is None


def test_captured_inputs_are_the_tensors_and_variables_from_outside():
    factors, offset, limit = tf.constant([1.0, 2.0]), tf.Variable(2.0), tf.constant(5.0)

    def scaled(x):
        return x * factors

    @tf.function
    def f(x):
        y = tf.where(x > 0.5, scaled(x) + offset + factors + 1.0, [0.0, 1.0])
        if tf.reduce_sum(x) > 0:
            y = y * tf.constant(2.0) * limit
        return y

    captured = f.get_concrete_function(tf.TensorSpec((2,))).captured_inputs
    assert [id(each) for each in captured] == [id(factors), id(limit), id(offset)]
    outer = tf.function(lambda x: f(x) + 1)
    assert factors is outer.get_concrete_function(tf.TensorSpec((2,))).captured_inputs[0]
