"""When graphs become machine code: not before their plans have worked for long; and nobody sees them change over."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.config import settings
from autograph.runtime.engines import costs, native
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.op import OPS
from autograph.runtime.ir.work import Work
from tests.runtime.engines.native.common import needs_llvm

pytestmark = needs_llvm


@pytest.fixture(autouse=True)
def turned_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "native", True)


def loop(n: Any, x: Any) -> Any:
    for i in tf.range(n):
        x = (x * 7 + i) % 1009
    return x


def region(function: Any, *arguments: Any) -> Region:
    return Region(tf.function(function).get_concrete_function(*arguments).optimized_graph, NATIVE)


def expected(n: int, x: int) -> int:
    for i in range(n):
        x = (x * 7 + i) % 1009
    return x


def test_a_short_loop_waits_until_it_has_been_called_often() -> None:
    found = region(loop, np.int32(1), np.int32(1))
    calls = 0
    while not found.is_compiled and calls < 10_000:
        assert found.run(np.array(50, np.int32), np.array(calls, np.int32))[0] == expected(50, calls)
        calls += 1
    assert 100 < calls < 5000
    assert found.run(np.array(50, np.int32), np.array(3, np.int32))[0] == expected(50, 3)


def test_a_long_loop_becomes_machine_code_while_it_runs() -> None:
    found = region(loop, np.int32(1), np.int32(1))
    n = 400_000
    assert found.run(np.array(n, np.int32), np.array(1, np.int32))[0] == expected(n, 1)
    assert found.is_compiled and not found.failures


def test_what_has_no_loop_waits_for_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_START", 200)
    found = region(lambda x: x * 2 + 1, np.arange(3.0))
    waits = 0
    while not found.is_compiled:
        np.testing.assert_array_equal(found.run(np.arange(3.0))[0], [1, 3, 5])
        waits += 1
    assert waits > 10


def test_each_combination_of_shapes_waits_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_ARRAY", 0)
    monkeypatch.setattr(native, "_START", 400)
    spec = tf.TensorSpec([None], tf.float64)
    found = Region(tf.function(lambda x: x * 2).get_concrete_function(spec).optimized_graph, NATIVE)
    counts = []
    for n in (3, 4):
        calls = 0
        while len(found._entries) < len(counts) + 1:
            found.run(np.arange(float(n)))
            calls += 1
        counts.append(calls)
    assert counts[0] == counts[1] > 10


def test_a_warning_does_not_come_twice() -> None:
    def f(n, x):
        for i in tf.range(n):
            x = (x * 7 + i) // (i - 5)
        return x

    found = region(f, np.int32(1), np.int32(1))
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        found.run(np.array(400_000, np.int32), np.array(1, np.int32))
    assert [str(each.message) for each in noted] == ["divide by zero encountered in floor_divide"]


def test_an_error_has_its_line_before_and_after() -> None:
    @tf.function
    def f(n, x):
        total = x[0]
        for i in tf.range(n):
            total += x[i % 7]  # here
        return total

    x = tf.constant([1, 2, 3])
    for n in (10, 1_000_000, 10):
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            f(n, x)
        assert "# here" in str(caught.value)


def test_a_first_call_loads_no_compiler() -> None:
    program = (
        "import sys\nimport autograph as tf\nfrom autograph.config import settings\nsettings.native = True\n"
        "print(int(tf.function(lambda x: x * 2 + 1)(tf.constant(3))))\n"
        "print([name for name in sys.modules if 'llvm' in name or name.endswith('lowering')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "7\n[]\n"


def test_work_is_in_proportion_to_elements_and_turns() -> None:
    def work(shape: tuple[int, ...]) -> int:
        spec = tf.TensorSpec(shape, tf.float32)
        return costs.of_call(tf.function(lambda x: x * 2.0 + 1.0).get_concrete_function(spec).optimized_graph)

    assert work(()) < work((10,)) < work((10_000,)) < work((1_000_000,)) / 50


def test_elementary_functions_take_longer_to_compile() -> None:
    def graph(function: Any) -> Any:
        x = tf.constant(np.ones(10))
        return tf.function(lambda x: function(function(x))).get_concrete_function(x).optimized_graph

    long, short = (native.NATIVE.work_of_compiling(graph(function).walk()) for function in (np.sin, np.negative))
    assert long > 1.2 * short


def test_functions_that_take_long_to_compile_have_a_form_in_machine_code() -> None:
    OPS.load()
    assert all(record.native for record in OPS.values() if record.work is Work.LONG)
