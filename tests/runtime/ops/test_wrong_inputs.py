"""Every op, over inputs that are wrong in dtype, rank or size: eager calls and graphs agree in refusing or in value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograph.errors import AutographError, InvalidArgumentError
from autograph.runtime.engines.numpy.plan import Plan
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.ir.op import OPS, Op
from autograph.runtime.ops.kernels.samples import strings
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from .test_ops import STRUCTURE, input_type, outputs, same_value, sample_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
DTYPES = [np.bool_, np.int32, np.uint64, np.float16, np.float64, np.complex64]


def in_other_dtypes(x: Any) -> Iterator[Any]:
    yield strings(np.full(x.shape, "1", object)) if x.dtype != object else np.ones(x.shape, np.float32)
    for dtype in DTYPES:
        if x.dtype != dtype:
            yield (np.ones(x.shape, dtype) if x.dtype == object else x.astype(dtype))


def in_other_shapes(x: Any) -> Iterator[Any]:
    yield x[None]
    yield x[None, None, None]
    if x.ndim and x.size:
        yield x.reshape(-1)[:1].reshape(())
        yield x.reshape(-1)
        yield x[0, ...]
        yield np.take(x, [0], -1).reshape(x.shape[:-1])
        yield x[:-1]
        yield x[..., :-1]
        yield np.concatenate([x, x])
        yield np.concatenate([x, x], -1)
        yield x[:0]


def wrong_dtypes(inputs: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The inputs with one of them, or all, in another dtype."""
    arrays = [i for i, x in enumerate(inputs) if isinstance(x, np.ndarray)]
    for i in arrays:
        for other in in_other_dtypes(inputs[i]):
            yield (*inputs[:i], other, *inputs[i + 1 :])
    if len(arrays) > 1:
        for dtype in DTYPES:
            if all(inputs[i].dtype != object for i in arrays):
                yield tuple(x.astype(dtype) if i in arrays else x for i, x in enumerate(inputs))
        yield tuple(strings(np.full(x.shape, "1", object)) if i in arrays else x for i, x in enumerate(inputs))


def wrong_shapes(inputs: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The inputs with one of them in another shape."""
    for i, x in enumerate(inputs):
        if isinstance(x, np.ndarray):
            for other in in_other_shapes(x):
                yield (*inputs[:i], other, *inputs[i + 1 :])


def eagerly(record: Op, inputs: Any, attributes: Any) -> Any:
    return [x.array for x in outputs(record(*map(wrap, inputs), **attributes))]


def traced(record: Op, inputs: Any, attributes: Any, blur: str) -> Any:
    """What a graph gives that knows the shapes of the inputs, their ranks (``dims``) or less (``rank``)."""
    graph = Graph("test")
    types = [input_type(x) for x in inputs]
    if blur:
        types = [Type(t.dtype, None if blur == "rank" else (None,) * len(t.shape or ())) for t in types]
    with trace.building(graph):
        symbols = [SymbolicTensor(graph.parameter(t)) for t in types]
        graph.outputs = [trace.value_of(x) for x in outputs(record(*symbols, **attributes))]
    return [wrap(x).array for x in Plan(graph).run(*inputs)]


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except AutographError as error:
        return type(error)


def description(record: Op, inputs: Any, attributes: Any) -> str:
    shown = ", ".join(f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else repr(x) for x in inputs)
    return f"{record.name}({shown}, {attributes})"


def both(record: Op, inputs: Any, attributes: Any, blur: str) -> tuple[Any, Any]:
    """What an eager call and a graph give or raise, after a check that they agree in which of the two they do."""
    expected = outcome(eagerly, record, inputs, attributes)
    got = outcome(traced, record, inputs, attributes, blur)
    assert isinstance(expected, type) == isinstance(got, type), (expected, got)
    if not isinstance(expected, type) and not record.effect:
        for a, b in zip(expected, got, strict=True):
            same_value(a, b)
    return expected, got


def compare(record: Op, samples: Any, variants: Any, blur: str) -> None:
    for sample in samples:
        inputs, attributes = sample_of(sample)
        for wrong in variants(inputs):
            try:
                expected, got = both(record, wrong, attributes, blur)
                # With dimensions that are not known it may be the kernel that refuses, for another reason.
                assert blur == "dims" or not isinstance(expected, type) or expected is got
            except Exception as error:
                raise AssertionError(description(record, wrong, attributes)) from error


@pytest.mark.parametrize("name", sorted(set(OPS) - STRUCTURE))
def test_wrong_dtypes_are_refused_alike_eagerly_and_in_graphs(name: str) -> None:
    compare(OPS[name], list(OPS[name].samples())[:5], wrong_dtypes, "")


@pytest.mark.parametrize("blur", ["", "dims", "rank"])
@pytest.mark.parametrize("name", sorted(set(OPS) - STRUCTURE))
def test_wrong_shapes_are_refused_alike_eagerly_and_in_graphs(name: str, blur: str) -> None:
    compare(OPS[name], list(OPS[name].samples())[:5], wrong_shapes, blur)


def test_a_refusal_does_not_depend_on_earlier_calls() -> None:
    ones = EagerTensor(np.ones((2, 2), np.float32))
    for _ in range(2):
        OPS["sum"](ones, axis=0)
        with pytest.raises(InvalidArgumentError, match="axis 2"):
            OPS["sum"](ones, axis=2)
