"""How traces are shown, why they were made, and the warning about too many of them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import SignatureError
from autograph.runtime.functions.function import Function
from autograph.runtime.functions.retracing import RetracingWarning


@pytest.fixture(autouse=True)
def _every_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_pretty_printed_signatures_are_those_of_seed_002() -> None:  # S22
    @tf.function
    def poly_func(a: Any) -> Any:
        return a

    for value in (1, 1.1, "a"):
        poly_func(tf.constant(value))
    one = "poly_func(a)\n  Args:\n    a: {0} Tensor, shape=()\n  Returns:\n    {0} Tensor, shape=()"
    expected = "\n\n".join(one.format(name) for name in ("float32", "int32", "string"))
    assert poly_func.pretty_printed_concrete_signatures() == expected
    assert poly_func.pretty_printed_concrete_signatures(verbose=False) == "poly_func(a)\npoly_func(a)\npoly_func(a)"


def everything(x: Any, y: int = 2, *args: Any, k: Any = 3, d: Any = None) -> Any:
    return {"a": x, "b": [x + 1, None]}


ARGUMENTS: Any = {"k": "s", "d": {"u": tf.constant(2), "v": [1, (2.0,)]}}
EVERYTHING = """\
everything(x, y=5, args_0, k='s', d)
  Args:
    x: float32 Tensor, shape=(1,)
    args_0: int32 Tensor, shape=()
    d: {'u': <1>, 'v': [1, (2.0,)]}
      <1>: int32 Tensor, shape=()
  Returns:
    {'a': <1>, 'b': [<2>, None]}
      <1>: float32 Tensor, shape=(1,)
      <2>: float32 Tensor, shape=(1,)"""
PRINTED = """\
ConcreteFunction Input Parameters:
  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(1,), dtype=tf.float32, name=None)
  y (POSITIONAL_OR_KEYWORD): Literal[5]
  args_0 (POSITIONAL_ONLY): TensorSpec(shape=(), dtype=tf.int32, name=None)
  k (KEYWORD_ONLY): Literal['s']
  d (KEYWORD_ONLY): Dict[['u', TensorSpec(shape=(), dtype=tf.int32, name=None)], ['v', List[Literal[1], Tuple[Literal[2.0]]]]]
Output Type:
  Dict[['a', TensorSpec(shape=(1,), dtype=tf.float32, name=None)], ['b', List[TensorSpec(shape=(1,), dtype=tf.float32, name=None), Literal[None]]]]
Captures:
  None"""  # noqa: E501


def test_signatures_of_every_kind_of_argument() -> None:
    function = tf.function(everything)
    concrete = function.get_concrete_function(tf.constant([1.0]), 5, tf.constant(1), **ARGUMENTS)
    assert function.pretty_printed_concrete_signatures() == EVERYTHING
    assert str(concrete) == PRINTED
    positional, keywords = concrete.structured_input_signature
    assert positional == (tf.TensorSpec((1,), tf.float32), 5, tf.TensorSpec((), tf.int32))
    assert keywords["k"] == "s" and keywords["d"]["v"] == [1, (2.0,)]
    assert [x.name for x in concrete.inputs] == ["x:0", "args:0", "d:0"] and len(concrete.outputs) == 2
    assert concrete.captured_inputs == [] and concrete.structured_outputs["b"][1] is None
    result = concrete(tf.constant([4.0]), 5, tf.constant(1), **ARGUMENTS)
    assert result["b"][0].numpy().tolist() == [5.0]


def test_a_function_without_arguments_or_results() -> None:
    function = tf.function(lambda: None)
    function()
    assert function.pretty_printed_concrete_signatures() == "<lambda>()\n  Returns:\n    None"


def reasons(function: Any) -> list[str]:
    return [line.strip() for line in function.explain().split("\n") if line.startswith("     ")]


def test_explain_names_what_changed() -> None:
    @tf.function
    def step(x: Any, n: Any = 1, options: Any = None) -> Any:
        return x * 2

    assert step.explain() == "step() has no traces"
    x, options = tf.constant([1.0]), {"rate": 0.5, "steps": [tf.constant(1)]}
    pairs = tf.constant([1.0, 2.0])
    calls: list[Any] = [
        (x,), (x, 2), (pairs, 2), (tf.cast(pairs, tf.int32), 2), (x, 2, options), (x, 2, {**options, "rate": 0.25}),
        (x, 2.0, options),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for arguments in calls + calls:
            step(*arguments)
    assert [text.partition(";")[0] for text in reasons(step)] == [
        "x: a float32 tensor of shape (1,)",
        "n: the Python value 1",
        "options: the Python value None",
        "n: the Python value 2 (before: the Python value 1)",
        "x: a float32 tensor of shape (2,) (before: a float32 tensor of shape (1,))",
        "x: an int32 tensor of shape (2,) (before: a float32 tensor of shape (2,))",
        "options: dict('rate': the Python value 0.5, 'steps': list(0: an int32 tensor of shape ())) "
        "(before: the Python value None)",
        "options['rate']: the Python value 0.25 (before: the Python value 0.5)",
        "n: the Python value 2.0 (before: the Python value 2)",
    ]
    numbered = [line for line in step.explain().split("\n") if line[:1].isdigit()]
    assert len(numbered) == len(calls) and all(f"{__file__}:" in line for line in numbered)


def test_objects_are_told_apart_by_identity() -> None:
    class Model:
        pass

    function = tf.function(lambda model, x: x)
    first, second = Model(), Model()
    function(first, 1), function(second, 1)
    assert reasons(function)[-1].startswith("model: the object <") and "identity" in reasons(function)[-1]


def call_with_shapes(function: Any, count: int) -> None:
    for i in range(count):
        function(tf.zeros((i + 1,)), tf.constant(2))


def test_five_traces_in_ten_calls_warn_and_name_the_argument() -> None:
    function = tf.function(lambda rows, scale: rows)
    call_with_shapes(function, 4)
    with pytest.warns(RetracingWarning) as found:
        function(tf.zeros((5,)), tf.constant(2))
    text = str(found[0].message)
    assert "5 of the last 5 calls of <lambda>() traced it anew" in text
    assert "`rows`: a float32 tensor of shape (5,) (before: a float32 tensor of shape (4,))" in text
    assert "reduce_retracing=True" in text and "scale" not in text
    assert found[0].filename == __file__


def test_each_function_warns_once() -> None:
    function = tf.function(lambda rows, scale: rows)
    with pytest.warns(RetracingWarning) as found:
        call_with_shapes(function, 30)
    assert len(found) == 1


def test_python_values_are_named() -> None:
    function = tf.function(lambda x, config: x)
    with pytest.warns(RetracingWarning, match=r"`config\['step'\]`: the Python value 4 .*tf.constant"):
        for step in range(5):
            function(tf.constant(1), {"step": step, "name": "a"})


def test_variables_are_named_with_what_to_pass() -> None:
    function = tf.function(lambda v: v + 1.0)
    with pytest.warns(RetracingWarning, match=r"at fault is `v`: .*Remedy: pass its value \(v\.value\(\)\) unless"):
        for _ in range(5):
            function(tf.Variable(1.0))


def test_few_traces_in_many_calls_do_not_warn() -> None:
    function = tf.function(lambda x: x)
    for i in range(8):
        for _ in range(4):
            function(tf.zeros((i,)))
    relaxed = tf.function(lambda rows, scale: rows, reduce_retracing=True)
    call_with_shapes(relaxed, 20)
    assert relaxed.experimental_get_tracing_count() == 2


def test_signatures_with_rest_and_keyword_parameters() -> None:
    spec = tf.TensorSpec((None,), tf.float32)

    @tf.function(input_signature=[spec, {"scale": tf.TensorSpec((), tf.float32), "parts": [spec, spec]}])
    def combine(x: Any, options: Any) -> Any:
        return x * options["scale"] + options["parts"][0] + options["parts"][1]

    vector = tf.constant([1.0, 2.0])
    for n in (1, 2):
        rows = tf.zeros((n,))
        combine(rows, {"scale": tf.constant(2.0), "parts": [rows, rows]})
    assert combine(vector, options={"scale": 2.0, "parts": [vector, [1.0, 1.0]]}).numpy().tolist() == [4.0, 7.0]
    assert combine.experimental_get_tracing_count() == 1
    for bad in ({"scale": 2.0}, {"scale": 2.0, "parts": [vector]}, {"scale": [2.0], "parts": [vector, vector]}, vector):
        with pytest.raises(SignatureError):
            combine(vector, bad)


def test_one_trace_for_each_signature_from_eight_threads() -> None:  # L28
    traced: list[Any] = []

    @tf.function
    def scale(x: Any, n: Any) -> Any:
        traced.append((x.shape, n))
        if tf.reduce_sum(x) > 0:
            x = x * n
        return x

    expected = {(rows, n) for rows in range(1, 6) for n in range(6)}
    barrier, wrong = threading.Barrier(8), []

    def work(seed: int) -> None:
        order = list(expected)
        np.random.default_rng(seed).shuffle(order)
        barrier.wait()
        for rows, n in order:
            if scale(tf.ones((rows,)), n).numpy().tolist() != [float(n)] * rows:
                wrong.append((rows, n))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == [] and len(traced) == len(expected) == scale.experimental_get_tracing_count()


# Bounded memory


def test_the_oldest_traces_go_when_there_are_too_many() -> None:
    traced: list[int] = []

    @tf.function(maximum_traces=2)
    def shift(x: Any, n: int) -> Any:
        traced.append(n)
        return x + n

    x = tf.constant(10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [int(shift(x, n)) for n in (0, 1, 2, 3, 3, 2, 0, 3)] == [10, 11, 12, 13, 13, 12, 10, 13]
    assert traced == [0, 1, 2, 3, 0]
    assert shift.pretty_printed_concrete_signatures(verbose=False) == "shift(x, n=0)\nshift(x, n=3)"
    assert shift.experimental_get_tracing_count() == 5
    report = shift.explain().split("\n")
    assert report[0].startswith("shift() has 2 traces (3 more have been dropped: there were more than maximum_traces")
    assert [line.partition(". ")[0] for line in report if line[0].isdigit()] == ["4", "5"]
    assert "compared with trace 4" in report[4]


def test_methods_have_as_many_traces_for_each_instance() -> None:
    class Scale:
        @tf.function(maximum_traces=1, reduce_retracing=True)
        def call(self, x: Any, n: int) -> Any:
            return x * n

    first, second = Scale(), Scale()
    for scale in (first, second, first):
        assert [int(tf.reduce_sum(scale.call(tf.ones((n,), tf.int32), n))) for n in (1, 2)] == [1, 4]
    assert (first.call.experimental_get_tracing_count(), second.call.experimental_get_tracing_count()) == (4, 2)
    with pytest.raises(SignatureError, match="maximum_traces must be at least 1"):
        tf.function(lambda: 0, maximum_traces=0)


def test_traces_for_objects_that_are_gone_are_dropped() -> None:
    class Model:
        def __init__(self, n: int) -> None:
            self.n = n

    function = tf.function(lambda model, x: x * model.n)
    kept = Model(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert int(function(kept, tf.constant(1))) == 7
        for n in range(300):
            assert int(function(Model(n), tf.constant(1))) == n
        assert int(function(kept, tf.constant(2))) == 14
    assert function.experimental_get_tracing_count() == 301
    assert len(function.pretty_printed_concrete_signatures().split("\n\n")) < 130
    assert "objects among their arguments are gone" in function.explain()


def test_functions_that_call_each_other_can_be_traced_by_two_threads_at_once(  # L28
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    barrier, waited, trace = threading.Barrier(2), threading.local(), Function._trace

    def together(*arguments: Any) -> Any:
        if not hasattr(waited, "once"):
            waited.once = True
            barrier.wait(10)
        return trace(*arguments)

    monkeypatch.setattr(Function, "_trace", together)

    @tf.function
    def first(x: Any) -> Any:
        return second(x - 1) + 1 if x > 0 else x

    @tf.function
    def second(x: Any) -> Any:
        return first(x - 1) + 1 if x > 0 else x

    results: list[int] = []
    threads = [
        threading.Thread(target=lambda function=function: results.append(int(function(tf.constant(6)))), daemon=True)
        for function in (first, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [6, 6]
