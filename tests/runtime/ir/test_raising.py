"""What a kernel raises for other values of the types of its samples is among what the record says (``raises``)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograph.runtime.base.dtypes import float32, int32
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.ir.raising import may_raise
from autograph.runtime.tensors import trace

from ..graphs import graph_of
from ..ops.test_ops import CASES, STRUCTURE, input_type, outputs, promoted

# Their inputs are indices that the front half, which has these ops, makes out of lengths.
LEFT_OUT = ("list_take", "list_put_back")


def others(array: Any) -> Iterator[Any]:
    """Other arrays of the same type."""
    if isinstance(array, (np.ndarray, np.generic)) and array.dtype.kind in "iuf":
        numbers = {"i": (0, 7, 100, -1, -100), "u": (0, 7, 100), "f": (0, -1, np.nan)}[array.dtype.kind]
        for number in numbers:
            yield np.full_like(array, number)
        yield array + np.ones_like(array)


@pytest.mark.parametrize(("record", "inputs", "attributes"), CASES)
def test_a_kernel_raises_only_what_the_record_names(record: Any, inputs: Any, attributes: dict[str, Any]) -> None:
    if record.name in (*STRUCTURE, *LEFT_OUT):
        pytest.skip("not looked at")
    arrays = promoted(record, inputs)
    graph = graph_of(lambda *given: outputs(record(*given, **attributes)), *map(input_type, arrays))
    named = may_raise(next(node for node in graph.nodes if node.op is record))
    for position, array in enumerate(arrays):
        for other in others(array):
            given = [*arrays[:position], other, *arrays[position + 1 :]]
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    record.numpy(*given, **attributes)
                except Exception as error:
                    assert isinstance(trace.kernel_error(error, record), named), given


def raised(function: Any, *types: Type) -> set[type]:
    return {kind for node in graph_of(function, *types).nodes for kind in may_raise(node)}


def test_what_can_not_fail_raises_nothing() -> None:
    vector, unknown, index = Type(float32, (3,)), Type(float32, (None,)), Type(int32, ())
    gather, tile = OPS["gather"], OPS["tile"]
    assert raised(lambda x, i: [gather(x, i, axis=0)], vector, index)
    assert not raised(lambda x: [gather(x, 2, axis=0)], vector)
    assert raised(lambda x: [gather(x, 3, axis=0)], vector)
    assert raised(lambda x: [gather(x, 2, axis=0)], unknown)
    assert raised(lambda x, y: [x + y], vector, unknown)
    assert not raised(lambda x, y: [x + y], vector, vector)
    assert not raised(lambda x: [OPS["range"](0, 5, 1)], vector)
    assert not raised(lambda x: [tile(x, multiples=(2,))], vector)
