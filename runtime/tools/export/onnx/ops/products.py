"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from .....ops.linalg.linalg import axes_to_sum
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Value
from .dims import dim_of, joined, reshaped, size_of, transposed
from .elementwise import dtype_of


@lowers(ENGINE, records.matmul)
def _matmul(here: Lowering, node: Node, x: Value, y: Value) -> Value:
    return here.add("MatMul", x.cast(dtype_of(node)), y.cast(dtype_of(node)))


@lowers(ENGINE, records.tensordot)
def _tensordot(here: Lowering, node: Node, a: Value, b: Value, axes: Any) -> Value:
    """As one product of matrices."""
    dtype = dtype_of(node)
    left, right = axes_to_sum(a.shape, b.shape, axes)
    free_a = [i for i in range(a.rank) if i not in left]
    free_b = [i for i in range(b.rank) if i not in right]
    one = reshaped(transposed(a.cast(dtype), [*free_a, *left]), joined(here, size_of(a, free_a), size_of(a, left)))
    other = reshaped(transposed(b.cast(dtype), [*right, *free_b]), joined(here, size_of(b, right), size_of(b, free_b)))
    dims = joined(here, here.integers(), *[dim_of(a, i) for i in free_a], *[dim_of(b, i) for i in free_b])
    return reshaped(here.add("MatMul", one, other), dims, node.outputs[0].shape)


@lowers(ENGINE, records.einsum)
def _einsum(here: Lowering, node: Node, *inputs: Value, equation: str) -> Value:
    dtype = dtype_of(node)
    return here.add("Einsum", *[x.cast(dtype) for x in inputs], equation=equation.replace(" ", ""))
