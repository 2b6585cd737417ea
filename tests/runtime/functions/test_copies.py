"""Traced functions, and what holds them: copied, pickled, and sent to other processes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import autograph as tf

from . import pickled

ONE, THREE = tf.constant(1.0), tf.constant(3.0)


def again(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("name", ["halved", "negative", "passed", "converted"])
@pytest.mark.parametrize("traced", [False, True])
def test_functions_at_the_top_of_a_module_go_by_their_names(name: str, traced: bool) -> None:
    function = getattr(pickled, name)
    if traced:
        function(THREE)
    assert again(function) is copy.copy(function) is copy.deepcopy(function) is function
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function


def test_a_function_behind_a_decorator_is_found() -> None:
    assert again(pickled.negative.__wrapped__) is pickled.negative.__wrapped__


def test_a_function_under_another_name_keeps_its_options() -> None:
    found = again(pickled.also_doubled)
    assert float(found(THREE)) == 6 and found is not pickled.also_doubled
    assert found.python_function is pickled.doubled and found.__name__ == "doubled"
    for size in (1, 2, 3):
        tf.function(lambda x: x)(tf.zeros(size))
    assert again(pickled.same_body)._options.jit_compile is False
    assert again(pickled.same_body).python_function is pickled.halved.python_function
    assert [float(each) for each in again(pickled.same_body)(THREE)] == [0.75, 2]


def test_traces_are_made_anew() -> None:
    pickled.also_doubled(THREE)
    assert again(pickled.also_doubled).experimental_get_tracing_count() == 0


def test_what_has_no_name_is_refused_in_words() -> None:
    with pytest.raises(tf.errors.SavingError, match=r"a lambda has no name.*\n.*\n.*\nRemedy: use cloudpickle"):
        pickle.dumps(pickled.by_lambda)
    with pytest.raises(tf.errors.SavingError, match="made inside of `scaled`"):
        pickle.dumps(pickled.scaled(2.0))
    with pytest.raises(tf.errors.SavingError, match="`halved` of the module .* is another object"):
        hidden = tf.function(type(pickled.doubled)(pickled.doubled.__code__, {}, "halved"))
        hidden.python_function.__module__ = pickled.__name__
        hidden.python_function.__qualname__ = "halved"
        pickle.dumps(hidden)


@pytest.mark.parametrize("way", [again, copy.deepcopy])
def test_methods_belong_to_the_copy(way) -> None:
    counter = pickled.Counter()
    for method in (counter.add, counter.bound, counter.shadowed):
        method(ONE)
    other = way(counter)
    assert float(other.add(ONE)) == 4 and float(other.bound(ONE)) == 5 and float(other.shadowed(ONE)) == 60
    assert float(counter.total) == 3 and other.same is other.total is other.list[0] is other.list[1]["a"]
    assert other.bound.python_function.__self__ is other
    for name in ("add", "bound", "shadowed"):
        method = way(getattr(counter, name))
        owner = method.python_function.__self__
        assert owner is not counter
        method(ONE)
        assert float(owner.total) == 4 and float(counter.total) == 3
    if way is again:
        assert way(counter.bound).python_function.__self__.bound.python_function.__self__ is not counter
    assert int(way(pickled.Slots(5)).plus(tf.constant(1))) == int(way(pickled.Slots(5).plus)(tf.constant(1))) == 6


def test_a_memo_keeps_what_is_shared() -> None:
    counter = pickled.Counter()
    method, owner, variable = copy.deepcopy((counter.add, counter, counter.total))
    method(ONE)
    assert float(variable) == 1 and owner.total is variable and float(counter.total) == 0


def test_attributes_of_a_function_go_along() -> None:
    function = tf.function(pickled.doubled)
    function.note = "mine"
    assert again(function).note == "mine"


def test_other_processes_take_functions_and_modules() -> None:
    counter = pickled.Counter()
    counter.add(ONE)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert [float(each) for each in pool.submit(pickled.halved, THREE).result(120)] == [0.75, 2]
        assert float(pool.submit(counter.add, ONE).result(120)) == 2
    assert float(counter.total) == 1


def test_an_assigned_variable_stays_the_variable() -> None:
    variable = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    for way in (again, copy.deepcopy):
        one, other = way((variable, variable.assign_add(0.0)))
        one.assign(7.0)
        assert float(other) == 7 and float(variable) == 1 and one.aggregation is tf.VariableAggregation.SUM


@pytest.mark.parametrize("way", [pickle.dumps, copy.deepcopy])
def test_what_can_not_be_copied_says_so(way) -> None:
    with tf.GradientTape() as tape:
        pass
    with pytest.raises(tf.errors.SavingError, match="GradientTape can't be pickled or copied"):
        way(tape)
    with pytest.raises(tf.errors.SavingError, match="one trace of a function can't be pickled or copied"):
        way(pickled.halved.get_concrete_function(ONE))
    with pytest.raises(tf.errors.SavingError, match="an iterator over a dataset can't be pickled or copied"):
        way(iter(tf.data.Dataset.range(3)))


def test_a_custom_gradient_is_copied_with_its_function() -> None:
    with tf.GradientTape() as tape:
        tape.watch(ONE)
        y = again(pickled.passed)(ONE)
    assert float(tape.gradient(y, ONE)) == 10


NAMES = ["grown", "factorial", "by_lambda", "converted", "model", "step", "dense"]


def _exchanged(tmp_path: Path, writes: str) -> dict[str, str]:
    """What a program finds that reads what another, whose file is gone, has pickled."""
    program = tmp_path / "program.py"
    program.write_text(pickled.PROGRAM + writes)
    subprocess.run([sys.executable, program], check=True, timeout=200, cwd=tmp_path)
    program.unlink()
    reads = """
import pickle, autograph as tf
(grown, factorial, by_lambda, converted, model, step, dense) = pickle.load(open("all.pickle", "rb"))
x = tf.constant(-3.0)
print("grown", float(grown(x)), grown.experimental_get_tracing_count())
print("factorial", int(factorial(tf.constant(5))))
print("by_lambda", float(by_lambda(x)), float(by_lambda(-x)))
print("converted", float(converted(x)), float(tf.function(converted)(x)))
print("model", float(model.step(-x)), float(model.v))
print("step", float(step(-x)), float(model.v))
print("dense", tf.function(dense)(tf.constant([-3.0])).numpy().tolist())
"""
    result = subprocess.run(
        [sys.executable, "-c", reads], check=True, timeout=200, cwd=tmp_path, capture_output=True, text=True
    )
    return dict(line.split(maxsplit=1) for line in result.stdout.splitlines())


def test_cloudpickle_takes_programs_with_their_source(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    writes = """
import cloudpickle
if True:
    model, dense = Model(), Dense()
    grown(tf.constant(3.0)), model.step(tf.constant(1.0)), factorial(tf.constant(2)), converted(2.0)
    values = grown, factorial, by_lambda, converted, model, model.step, dense
    open("all.pickle", "wb").write(cloudpickle.dumps(values))
"""
    found = _exchanged(tmp_path, writes)
    assert found == {
        "grown": "192.0 1", "factorial": "120", "by_lambda": "-3.0 4.0", "converted": "3.0 3.0", "model": "5.0 5.0",
        "step": "8.0 8.0", "dense": "[0.0]",
    }  # fmt: skip


def test_a_function_whose_source_is_not_there_says_what_to_pickle(tmp_path: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    namespace = {"__name__": "__main__"}
    path = tmp_path / "gone.py"
    path.write_text("def helper(x):\n    if x > 0:\n        return x\n    return -x\n")
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    found = pickle.loads(cloudpickle.dumps(namespace["helper"]))
    with pytest.raises(tf.errors.SourceNotFoundError, match="cloudpickle leaves the source out"):
        tf.autograph.to_graph(found)


def test_joblib_runs_functions_in_processes(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    joblib.dump(pickled.halved, tmp_path / "function")
    assert joblib.load(tmp_path / "function") is pickled.halved
    with pytest.raises(tf.errors.SavingError, match="made inside of `scaled`"):
        joblib.dump(pickled.scaled(2.0), tmp_path / "closure")
    counter = pickled.Counter()
    joblib.dump(counter, tmp_path / "module")
    assert float(joblib.load(tmp_path / "module").add(ONE)) == 1
    run = joblib.Parallel(n_jobs=2, timeout=200)
    assert [float(x) for x in run(joblib.delayed(pickled.scaled(2.0))(tf.constant(each)) for each in (1.0, -1.0))] == [
        2.0, -1.0,
    ]  # fmt: skip
