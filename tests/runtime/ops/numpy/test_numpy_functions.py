"""NumPy's functions give the same on tensors as on arrays: eagerly, and in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph.errors import StagedValueError
from autograph.runtime import ops  # noqa: F401
from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.op import type_of
from autograph.runtime.tensors import trace  # noqa: F401
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import SymbolicTensor

X = np.array([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]])
S = np.array([[4.0, 1.0], [1.0, 3.0]])
N = np.array([[3, 1, 2], [0, -1, 4]], np.int32)

CASES = [
    (np.sum, (N,), {}), (np.sum, (X,), {"axis": 1, "keepdims": True}), (np.prod, (N,), {"axis": 0}),
    (np.mean, (N,), {}),
    (np.max, (X,), {"axis": 0}), (np.min, (N,), {}), (np.argmax, (X,), {}), (np.argmin, (X,), {"axis": 1}),
    (np.var, (X,), {"ddof": 1}),
    (np.std, (N,), {"axis": 0}), (np.all, (X,), {}), (np.any, (N,), {"axis": 1}), (np.cumsum, (N,), {}),
    (np.cumprod, (X,), {"axis": 1}),
    (np.count_nonzero, (N,), {}), (np.where, (X > 1, X, 0.0), {}), (np.clip, (X, 0.0, 2.0), {}), (np.round, (X, 1), {}),
    (np.reshape, (X, (3, 2)), {}), (np.ravel, (X,), {}), (np.transpose, (X,), {}), (np.expand_dims, (X, 1), {}),
    (np.squeeze, (X[:1],), {}),
    (np.flip, (X,), {}), (np.roll, (X, 1), {"axis": 1}), (np.concatenate, ([X, X],), {"axis": 1}),
    (np.stack, ([X, X],), {}),
    (np.vstack, ([X[0], X],), {}), (np.hstack, ([X[0], X[1]],), {}), (np.tile, (X, 2), {}),
    (np.repeat, (X, 2), {"axis": 0}), (np.pad, (X, 1), {}),
    (np.sort, (X,), {"axis": 0}), (np.argsort, (X,), {}), (np.searchsorted, (np.array([1.0, 2.0]), X), {}),
    (np.trace, (S,), {}),
    (np.diag, (S,), {}), (np.diag, (S[0],), {"k": 1}), (np.tril, (X,), {}), (np.triu, (X, 1), {}),
    (np.dot, (S, X), {}), (np.dot, (X[0], X[1]), {}),
    (np.matmul, (S, X), {}), (np.outer, (X[0], S[0]), {}), (np.tensordot, (S, X), {"axes": 1}),
    (np.einsum, ("ij,jk->ik", S, X), {}),
    (np.linalg.norm, (X,), {}), (np.linalg.norm, (X,), {"axis": 1}), (np.linalg.norm, (X, 1), {}),
    (np.linalg.det, (S,), {}), (np.linalg.inv, (S,), {}),
    (np.linalg.solve, (S, S[0]), {}), (np.linalg.cholesky, (S,), {}), (np.linalg.svd, (X,), {}),
    (np.linalg.qr, (X,), {}), (np.linalg.eigh, (S,), {}),
    (np.take, (X, [2, -1]), {"axis": 1}), (np.take_along_axis, (X, np.argsort(X), 1), {}), (np.zeros_like, (N,), {}),
    (np.full_like, (N, 7), {}),
    (np.moveaxis, (X, 0, 1), {}), (np.swapaxes, (X, 0, 1), {}), (np.split, (X, [1], 1), {}),
    (np.isclose, (X, X + 1e-9), {}), (np.nonzero, (X > 1,), {}),
    (np.meshgrid, (X[0], S[0]), {}), (np.bincount, (np.array([1, 1, 3]),), {}), (np.linalg.slogdet, (S,), {}),
    (np.broadcast_to, (X[0], (2, 3)), {}),
    (np.exp, (N,), {}), (np.arctan2, (X, 2.0), {}), (np.heaviside, (X, 0.5), {}), (np.real, (X,), {}),
    (np.angle, (X,), {}), (np.add.reduce, (X,), {}),
    (np.isnan, (X,), {}), (np.array_split, (X, [1, 2], 1), {}),
]  # fmt: skip


def identifier(value: Any) -> str | None:
    return getattr(value, "__name__", "")


def parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def converted(value: Any, make: Any) -> Any:
    if isinstance(value, np.ndarray):
        return make(value)
    if isinstance(value, list) and any(isinstance(item, np.ndarray) for item in value):
        return [converted(item, make) for item in value]
    return value


def assert_same(expected: Any, got: Any) -> None:
    expected, got = parts(expected), parts(got)
    assert len(expected) == len(got)
    for a, b in zip(expected, got, strict=True):
        b = np.asarray(b)
        assert np.asarray(a).dtype == b.dtype and np.shape(a) == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("function, arguments, keywords", CASES, ids=identifier)
def test_eager(function: Any, arguments: Any, keywords: Any) -> None:
    got = function(*[converted(x, convert_to_tensor) for x in arguments], **keywords)
    assert_same(function(*arguments, **keywords), got)


@pytest.mark.parametrize("function, arguments, keywords", CASES, ids=identifier)
def test_staged(function: Any, arguments: Any, keywords: Any) -> None:
    graph, arrays = Graph("test"), []

    def parameter(array: Any) -> Any:
        arrays.append(array)
        return SymbolicTensor(graph.parameter(type_of(array)))

    with trace.building(graph):
        results = parts(function(*[converted(x, parameter) for x in arguments], **keywords))
        graph.outputs = [trace.value_of(result) for result in results]
    assert_same(function(*arguments, **keywords), interpret(graph, arrays))


def test_a_function_without_counterpart_is_refused_by_name() -> None:
    graph = Graph("test")
    with trace.building(graph):
        x = SymbolicTensor(graph.parameter(type_of(X)))
        with pytest.raises(StagedValueError, match="np.percentile"):
            np.percentile(x, 5)
        with pytest.raises(ValueError, match="no identity"):
            np.max(convert_to_tensor(np.zeros(0)))
