"""Nodes that are called total neither raise nor warn, over all ops and hostile values of the types of their samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from autograph.runtime.base import dtypes
from autograph.runtime.base.dtypes import float32, int32
from autograph.runtime.ir.graph import Graph, Type, Value
from autograph.runtime.ir.op import OPS
from autograph.runtime.ir.total import Totality, is_total

from ..graphs import INT, cond, graph_of, while_loop
from ..ops.test_ops import CASES, STRUCTURE, input_type, promoted

HOSTILE = {
    "f": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e-30], "i": [0, -1, 1, np.iinfo(np.int64).min],
    "u": [0, 255, 2**63], "b": [False, True], "c": [complex(np.nan, np.inf), 0j, 1e30j],
}  # fmt: skip


def placeholders(types: list[Type]) -> list[Value]:
    graph = Graph("types")
    return [graph.parameter(type_) for type_ in types]


def hostile(array: Any, seed: int) -> Any:
    array = np.asarray(array)
    random = np.random.default_rng(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = np.array(HOSTILE[array.dtype.kind]).astype(array.dtype)
    return random.choice(numbers, array.shape).astype(array.dtype)


@pytest.mark.parametrize(("record", "inputs", "attributes"), CASES)
def test_total_nodes_neither_raise_nor_warn(record: Any, inputs: Any, attributes: Any) -> None:
    if record.name in STRUCTURE:
        pytest.skip("no kernel")
    arrays = promoted(record, inputs)
    types = [input_type(array) for array in arrays]
    if not is_total(record, placeholders(types), attributes):
        return
    for seed in range(4):
        given = [a if t.dtype.kind in "SV" else hostile(a, seed) for a, t in zip(arrays, types, strict=True)]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            record.numpy(*given, **attributes)


def is_total_for(name: str, *types: Type, **attributes: Any) -> bool:
    return is_total(OPS[name], placeholders(list(types)), attributes)


def vector(n: int | None) -> Type:
    return Type(float32, (n,))


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((3,), (3,)), True), (((None,), ()), True), (((None,), (1,)), True), (((None,), (3,)), False),
        (((None,), (None,)), False), (((None, 3), (3,)), True), (((None, 3), (None, 1)), False), ((None, ()), True),
        ((None, (1,)), False),
    ],
)  # fmt: skip
def test_shapes_have_to_fit(shapes: Any, expected: bool) -> None:
    assert is_total_for("add", *[Type(float32, shape) for shape in shapes]) is expected


def test_one_value_fits_itself() -> None:
    (x,) = placeholders([vector(None)])
    assert is_total(OPS["add"], [x, x], {})


def test_examples() -> None:
    assert not is_total_for("floor_divide", INT, INT)
    assert is_total_for("floor_divide", vector(3), vector(3))
    assert not is_total_for("cast", vector(3), dtype=int32)
    assert is_total_for("cast", INT, dtype=float32)
    assert not is_total_for("power", INT, INT)
    assert not is_total_for("get_item", vector(None), key=(("index", 0),))
    assert is_total_for("get_item", vector(3), key=(("index", 0),))
    assert is_total_for("get_item", vector(None), key=(("slice", 5, None, None),))
    assert not is_total_for("get_item", vector(3), INT, key=(("input", 0),))
    assert not is_total_for("max", vector(0), axis=None, keepdims=False)
    assert not is_total_for("random_normal", Type(float32, ()), Type(float32, ()))
    assert not is_total_for("equal", Type(dtypes.string, ()), Type(dtypes.string, ()))


def test_divisors_that_are_constants() -> None:
    graph = graph_of(lambda x: [x // 2, x // 0, x // -1, x**2], INT)
    total = Totality()
    found = {node.name: total.of_node(node) for node in graph.nodes if node.op.name in ("floor_divide", "power")}
    assert found == {"floor_divide": True, "floor_divide_1": False, "floor_divide_2": False, "power": True}


def test_graphs_are_as_total_as_their_nodes() -> None:
    def function(x: Any, y: Any) -> list[Any]:
        (a,) = cond(x > 0, lambda: [x + 1], lambda: [x])
        (b,) = cond(x > 0, lambda: [y[0]], lambda: [y[1]])
        (c,) = while_loop(lambda s: s < 3, lambda s: [s + 1], [x])
        (d,) = while_loop(lambda s: s < 3, lambda s: [s // x], [x])
        return [a, b, c, d]

    graph = graph_of(function, INT, vector(None))
    total = Totality()
    nodes = [node for node in graph.nodes if node.subgraphs]
    assert [total.of_node(node) for node in nodes] == [True, False, True, False]
