"""Matrix products in vector registers: any sizes, dtypes and layouts, on machines with vectors of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograph as tf
from autograph.runtime.engines.native.emit import lowering
from autograph.runtime.engines.native.ops import multiply, products
from autograph.runtime.engines.native.run import assemble
from autograph.runtime.ir.op import OPS
from tests.programs.profile import examples
from tests.runtime.engines.native import guards
from tests.runtime.engines.native.common import graph_of_op, needs_llvm, region_of

pytestmark = needs_llvm
MACHINES = [(16, 16), (16, 32), (32, 16), (32, 64)]
SIZES = st.one_of(st.integers(1, 20), st.sampled_from([31, 32, 33, 50, 64, 65, 130]))


def check_product(got: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Integers are exact; floats off by the rounding of so many sums, as N. Higham bounds it (2002, section 3.1)."""
    expected = np.matmul(x, y)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    if x.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected)
        return
    wide = [each.astype(np.longdouble) for each in (x, y)]
    bound = x.shape[-1] * np.finfo(x.dtype).eps * np.matmul(*map(np.abs, wide))
    assert (np.abs(got - np.matmul(*wide)) <= bound).all()


@examples(40)
@given(st.sampled_from(MACHINES), SIZES, SIZES, SIZES, st.sampled_from(["float32", "float64", "int32", "uint8"]),
       st.sampled_from([(), (1,), (3,), (2, 2)]), st.integers(0, 1000))  # fmt: skip
def test_sizes_and_dtypes(machine: Any, m: int, k: int, n: int, dtype: str, batch: tuple[int, ...], seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = ((random.normal(size=(*batch, *shape)) * 9).astype(dtype) for shape in ((m, k), (k, n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiply, "vector_registers", lambda: machine)
        patch.setattr(assemble, "module", guards.module)
        region = region_of(graph_of_op(OPS["matmul"], (x, y), {}))
        check_product(region.run(x, y)[0], x, y)
    assert region.is_compiled and not region.failures


@pytest.mark.parametrize("large", [False, True], ids=["vectors", "BLAS"])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_transposed_factors(large: bool, first: bool, second: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(products, "_LARGE", 0)
    random = np.random.default_rng(0)
    x, y = random.normal(size=(90, 7) if first else (7, 90)), random.normal(size=(130, 90) if second else (90, 130))

    def f(x: Any, y: Any) -> Any:
        return tf.matmul(x, y, transpose_a=first, transpose_b=second)

    graph = tf.function(f).get_concrete_function(tf.constant(x), tf.constant(y)).optimized_graph
    check_product(region_of(graph).run(x, y)[0], x.T if first else x, y.T if second else y)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_vectors_with_matrices(machine: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiply, "vector_registers", lambda: machine)
    random = np.random.default_rng(0)
    for m, k in ((1, 1), (1, 40), (40, 1), (7, 13), (8, 16), (33, 70), (130, 65)):
        matrix, row, column = ((random.normal(size=size) * 9).astype(dtype) for size in ((m, k), m, k))

        def f(matrix: Any, row: Any, column: Any) -> Any:
            turned = tf.transpose(matrix)
            return matrix @ column, turned @ row, row @ matrix, column @ turned, turned[::2] @ row, row[::-1] @ matrix

        graph = tf.function(f).get_concrete_function(*map(tf.constant, (matrix, row, column))).optimized_graph
        pairs = ((matrix, column), (matrix.T, row), (row, matrix), (column, matrix.T), (matrix.T[::2], row),
                 (row[::-1], matrix))  # fmt: skip
        for (x, y), got in zip(pairs, region_of(graph).run(matrix, row, column), strict=True):
            check_product(got, x, y)


def test_vectors_and_broadcast_stacks() -> None:
    random = np.random.default_rng(0)
    for shapes in (((5,), (5,)), ((5,), (5, 7)), ((3, 5), (5,)), ((4, 1, 3, 5), (2, 5, 6)), ((3, 5), (4, 5, 1))):
        x, y = (random.normal(size=shape) for shape in shapes)
        got = region_of(graph_of_op(OPS["matmul"], (x, y), {})).run(x, y)[0]
        np.testing.assert_allclose(got, np.matmul(x, y), rtol=1e-13, atol=1e-13)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinity_times_zero() -> None:
    x, y = np.array([[0.0, 1.0], [np.inf, 1.0], [np.nan, 0.0]]), np.array([[np.inf, 0.0, 2.0], [1.0, np.inf, 3.0]])
    got = region_of(graph_of_op(OPS["matmul"], (x, y), {})).run(x, y)[0]
    np.testing.assert_array_equal(got, np.matmul(x, y))


def test_a_transposed_factor_is_copied_once_and_not_in_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    copies, copied = [], products.copied

    def watched(writer: lowering.Lowering, x: Any) -> Any:
        copies.append(any(line.startswith("while") for line in writer.e.lines))
        return copied(writer, x)

    monkeypatch.setattr(products, "copied", watched)

    def f(x: Any, w: Any, n: Any) -> Any:
        turned = tf.transpose(w)
        for _ in tf.range(n):
            x = tf.matmul(x, w, transpose_b=True)
            if x[0, 0] < 100.0:
                x = tf.tanh(tf.matmul(x, turned))
        return x

    random = np.random.default_rng(0)
    arguments = random.normal(size=(3, 20)), random.normal(size=(20, 20)), np.array(4, np.int32)
    graph = tf.function(f).get_concrete_function(*map(tf.constant, arguments)).optimized_graph
    region = region_of(graph)
    np.testing.assert_allclose(region.run(*arguments)[0], region.plan.run(*arguments)[0], rtol=1e-12)
    assert copies and not any(copies)  # all before the loop begins
