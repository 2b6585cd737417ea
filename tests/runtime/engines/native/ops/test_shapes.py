"""Graphs that were traced without knowing shapes, with arguments whose shapes fit, or don't: as the plan has it.

With AUTOGRAPH_EXAMPLES set, all samples of all ops are tried in many shapes.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import autograph as tf
from autograph.errors import AutographError, OutOfRangeError, UnimplementedError
from autograph.runtime.engines.native import NATIVE
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.engines.partition import obstacle
from autograph.runtime.engines.region import Region
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.op import Op, type_of
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import SymbolicTensor
from tests.programs.profile import EXAMPLES
from tests.runtime.engines.native.common import SUMS, needs_llvm, same
from tests.runtime.engines.native.ops.test_ops import cases

pytestmark = needs_llvm


def graph_without_shapes(record: Op, inputs: Sequence[Any], attributes: dict[str, Any]) -> Graph:
    """A graph with the op alone, in a branch, of parameters of known rank."""
    graph = Graph("test")
    with trace.building(graph):
        symbols = []
        for x in inputs:
            type_ = type_of(x)
            symbols.append(SymbolicTensor(graph.parameter(Type(type_.dtype, (None,) * len(type_.shape)))))
        result = record(*symbols, **attributes)
        graph.outputs = [trace.value_of(x) for x in (result if isinstance(result, (list, tuple)) else [result])]
    return graph


def variants(inputs: Sequence[Any]) -> Iterator[list[np.ndarray]]:
    """The inputs, and these with one dimension of one of them made 0, 1, or longer by one."""
    arrays = [np.asarray(x) for x in inputs]
    yield arrays
    for which, array in enumerate(arrays):
        for axis, n in enumerate(array.shape):
            for length in {0, 1, n + 1} - {n}:
                places = [i % max(n, 1) for i in range(length)] if n else []
                if n or not length:
                    yield [*arrays[:which], np.take(array, places, axis), *arrays[which + 1 :]]


def outcome(run: Any, arrays: Sequence[np.ndarray]) -> tuple[Any, ...] | type[BaseException]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(run(*arrays))
    except UnimplementedError:
        raise
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("record, inputs, attributes", [case for case in cases() if EXAMPLES or case.id[-2:] == "-0"])
def test_other_shapes_than_the_samples(record: Op, inputs: Any, attributes: dict[str, Any]) -> None:
    try:
        graph = graph_without_shapes(record, inputs, attributes)
    except AutographError as error:
        pytest.skip(str(error))
    if obstacle(NATIVE, graph.nodes) is not None:
        pytest.skip(str(obstacle(NATIVE, graph.nodes)[1]))
    plan = Plan(graph)
    for arrays in itertools.islice(variants(inputs), 12 if EXAMPLES else 5):
        region = Region(graph, NATIVE, demanded=True)
        try:
            got = outcome(region.run, arrays)
        except UnimplementedError:
            continue
        expected = outcome(plan.run, arrays)
        if isinstance(expected, type):
            assert got is expected, (arrays, got, expected)
        else:
            assert not isinstance(got, type), (arrays, got)
            for x, y in zip(expected, got, strict=True):
                same(x, y, ulps=8, is_sum=record.name in SUMS)


def test_what_fails_in_any_case_fails_only_where_it_is_reached() -> None:
    @tf.function(input_signature=[tf.TensorSpec((None,), tf.float32), tf.TensorSpec((), tf.int32)])
    def f(x, n):
        total = 0.0
        for i in tf.range(n):
            if i > 1:
                total += x[7]  # here
        return total

    region = Region(f.get_concrete_function().optimized_graph, NATIVE, demanded=True)
    x = np.ones(3, np.float32)
    assert region.run(x, np.array(2, np.int32))[0] == 0 and region.is_compiled
    with pytest.raises(OutOfRangeError) as caught:
        region.run(x, np.array(3, np.int32))
    assert "# here" in str(caught.value)
    assert region.run(np.ones(8, np.float32), np.array(5, np.int32))[0] == 3


def test_arguments_that_never_fit_raise_what_the_plan_raises() -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec((None,), tf.float32)] * 2)
    def f(x, y):
        return x + y

    assert f(tf.constant([1.0]), tf.constant([2.0, 3.0])).numpy().tolist() == [3.0, 4.0]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)shapes"):
            f(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))




@pytest.mark.parametrize("loop", [False, True])
def test_a_condition_of_several_values_has_no_truth(loop: bool) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def branch(x):
        return x + 1.0 if x > 0 else x

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def turns(x):
        while x < 2:
            x += 1.0
        return x

    region = Region((turns if loop else branch).get_concrete_function().optimized_graph, NATIVE, demanded=True)
    assert region.run(np.ones((), np.float32))[0] == region.run(np.ones((1,), np.float32))[0] == 2
    for length in (2, 0):
        with pytest.raises(Exception, match="truth|ambiguous|empty"):
            region.run(np.ones(length, np.float32))
    assert not region.failures
