"""Every op, over each of its samples: inference, eager results, and graphs agree."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

from autograph.data import dataset  # noqa: F401  (declares the ops of datasets)
from autograph.runtime import ops  # noqa: F401  (declares the ops) # noqa: F401  (declares its own)
from autograph.runtime.base.dtypes import variant
from autograph.runtime.base.shapes import is_subshape
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import OPS, Op, Type, type_of
from autograph.runtime.state import random_generator  # noqa: F401  (declares the ops) # noqa: F401  (declares its own)
from autograph.runtime.tensors import promotion, trace  # noqa: F401  (declares the ops) # noqa: F401  (declares its own)
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|overflow|invalid value|Mean of empty):RuntimeWarning")
# What the executors run themselves, and what acts on the world outside: no kernel to run over samples.
STRUCTURE = {
    "constant", "placeholder", "cond", "while", "call", "custom_gradient", "print", "raise", "assert", "py_function",
    "py_function_gradient", "write_summary", "no_op", "assert_relation", "assert_shapes", "assert_rank_in",
    "check_numerics",
}  # fmt: skip


def sample_of(sample: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if len(sample) == 2 and isinstance(sample[0], tuple) and isinstance(sample[1], dict):
        return sample
    return sample, {}


def cases() -> list[Any]:
    found = []
    for name, record in sorted(OPS.items()):
        for i, sample in enumerate(record.samples()):
            inputs, attributes = sample_of(sample)
            found.append(pytest.param(record, inputs, attributes, id=f"{name}-{i}"))
    return found


CASES = cases()


def promoted(record: Op, inputs: Any) -> list[Any]:
    """The arrays as the kernel sees them: those that the op promotes, in one dtype."""
    if record.promote is None:
        return list(inputs)
    tensors = promotion.promoted(record, [wrap(x) for x in inputs])
    return [x.array for x in tensors]


def input_type(value: Any) -> Type:
    return type_of(value) if isinstance(value, (np.ndarray, np.generic)) else Type(variant, ())


def outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def types(inferred: Any) -> list[Type]:
    return [inferred] if type(inferred) is Type else list(inferred)


def run(record: Op, inputs: Any, attributes: dict[str, Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        return [wrap(part).array for part in outputs(record.numpy(*inputs, **attributes))]


def check(inferred: list[Type], results: list[Any], exact: bool) -> None:
    assert len(inferred) == len(results)
    for type_, result in zip(inferred, results, strict=True):
        if type_.dtype is variant:
            assert not isinstance(result, np.ndarray)
            continue
        actual = type_of(result)
        assert actual.dtype is type_.dtype, f"inferred {type_}, got {actual}"
        assert is_subshape(actual.shape, type_.shape), f"inferred {type_}, got {actual}"
        if exact and type_.shape is not None and None not in type_.shape:
            assert actual.shape == type_.shape


@pytest.mark.parametrize("record, inputs, attributes", CASES)
def test_inference_is_what_the_kernel_returns(record: Op, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, inputs)
    before = [x.copy() if isinstance(x, np.ndarray) else x for x in arrays]
    results = run(record, arrays, attributes)
    check(types(record.infer(*map(input_type, arrays), **attributes)), results, exact=True)
    for kept, now in zip(before, arrays, strict=True):
        if isinstance(kept, np.ndarray):
            np.testing.assert_array_equal(kept, now, "the kernel wrote into its input")


@pytest.mark.parametrize("record, inputs, attributes", CASES)
def test_inference_with_unknown_dimensions_promises_nothing_false(record: Op, inputs: Any, attributes: Any) -> None:
    arrays = promoted(record, inputs)
    results = run(record, arrays, attributes)
    known = [input_type(x) for x in arrays]
    for hidden in itertools.islice(blurred(known), 40):
        check(types(record.infer(*hidden, **attributes)), results, exact=False)


def blurred(known: list[Type]) -> Any:
    """The types with every single dimension, all dimensions, or the rank of one or all inputs unknown."""
    yield [Type(t.dtype, None) for t in known]
    yield [Type(t.dtype, (None,) * len(t.shape or ())) for t in known]
    for i, t in enumerate(known):
        yield [*known[:i], Type(t.dtype, None), *known[i + 1 :]]
        for d in range(len(t.shape or ())):
            shape = (*t.shape[:d], None, *t.shape[d + 1 :])  # type: ignore[index]
            yield [*known[:i], Type(t.dtype, shape), *known[i + 1 :]]


@pytest.mark.parametrize("record, inputs, attributes", [case for case in CASES if not case.values[0].effect])
def test_eager_and_graph_agree(record: Op, inputs: Any, attributes: Any) -> None:
    with np.errstate(all="ignore"):
        eager = [x.array for x in outputs(record(*map(wrap, inputs), **attributes))]
        for blur in (False, True):
            graph, parameters = Graph("test"), [input_type(x) for x in inputs]
            with trace.building(graph):
                if blur:
                    parameters = [Type(t.dtype, (None,) * len(t.shape or ())) for t in parameters]
                symbols = [graph_parameter(graph, t) for t in parameters]
                graph.outputs = [trace.value_of(x) for x in outputs(record(*symbols, **attributes))]
            for executed in executions(graph, inputs):
                for expected, got in zip(eager, executed, strict=True):
                    same_value(expected, wrap(got).array)


def graph_parameter(graph: Graph, type_: Type) -> Any:
    return SymbolicTensor(graph.parameter(type_))


def executions(graph: Graph, inputs: Any) -> Any:
    yield interpret(graph, list(inputs))
    yield Plan(graph).run(*inputs)


def same_value(expected: Any, got: Any) -> None:
    if not isinstance(expected, np.ndarray):
        assert [np.asarray(x).tolist() for x in expected] == [np.asarray(x).tolist() for x in got]
        return
    assert expected.dtype == got.dtype and expected.shape == got.shape
    np.testing.assert_array_equal(expected, got)


@pytest.mark.parametrize("name", sorted(set(OPS) - STRUCTURE))
def test_every_record_is_complete(name: str) -> None:
    record = OPS[name]
    assert record.__doc__ and record.__doc__.rstrip().endswith("."), "no documentation"
    assert len(list(record.samples())) > 0, "no samples"


@pytest.mark.parametrize("name", [name for name in sorted(set(OPS) - STRUCTURE) if not OPS[name].unsavable])
def test_records_know_the_attributes(name: str) -> None:
    """What samples have, and the kernel takes by name alone: saved models hold nothing else."""
    record = OPS[name]
    for _, attributes in map(sample_of, record.samples()):
        for key, value in attributes.items():
            assert record.attributes[key](value), key
    if not isinstance(record.numpy, np.ufunc):
        given = inspect.signature(record.numpy).parameters.values()
        assert {each.name for each in given if each.kind is each.KEYWORD_ONLY} <= record.attributes.keys()


def test_the_results_are_tensors() -> None:
    assert isinstance(OPS["add"](1, 2), EagerTensor)
