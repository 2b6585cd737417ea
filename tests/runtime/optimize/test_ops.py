"""Every op, over each of its samples, with inputs that are known only at run time: all passes leave the results."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from autograph.runtime.engines.interpreter import interpret
from autograph.runtime.ir.graph import Graph, Type
from autograph.runtime.optimize import optimize
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.convert import wrap
from autograph.runtime.tensors.tensor import SymbolicTensor

from ..ops.test_ops import CASES, input_type, same_value

PURE = [case for case in CASES if not case.values[0].effect]


@pytest.mark.parametrize(("record", "inputs", "attributes"), PURE)
@pytest.mark.parametrize("blur", [False, True], ids=["known", "unknown"])
def test_results_stay(record: Any, inputs: Any, attributes: Any, blur: bool) -> None:
    types = [input_type(x) for x in inputs]
    if blur:
        types = [Type(type_.dtype, (None,) * len(type_.shape or ())) for type_ in types]
    graph = Graph("op")
    with trace.building(graph):
        results: list[Any] = [SymbolicTensor(graph.parameter(type_)) for type_ in types]
        for _ in range(2):  # the second time, the node is one that others compute too
            made = record(*results[: len(inputs)], **attributes)
            results += made if isinstance(made, tuple) else [made]
        graph.outputs = [trace.value_of(each) for each in results[len(inputs) :]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in zip(interpret(graph, inputs), interpret(optimize(graph).graph, inputs), strict=True):
            same_value(wrap(a).array, wrap(b).array)


def test_transposes_without_an_order() -> None:
    from autograph.runtime.base.dtypes import float32
    from autograph.runtime.ir.op import OPS

    from ..graphs import graph_of

    graph = graph_of(lambda x: OPS["transpose"](OPS["transpose"](x)), Type(float32, (2, 3)))
    assert [node.op.name for node in optimize(graph).graph.nodes] == ["placeholder", "stop_gradient"]
