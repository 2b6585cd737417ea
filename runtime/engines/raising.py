"""The user's error, made from the values at the place in a graph where an engine's code has found it.

Code says which place it is, and hands over the values that the error is about; a plan of the one node, or of the branch
that raises, makes the error, with its text and the user's line. So nothing has to run twice.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ..base.deeper import deeper
from ..base.dtypes import Array
from ..ir.graph import Graph, Node, Type
from .numpy.plan import Plan

_ALIGNMENT = 16
_DEEPER = 20_000


def layout(types: Sequence[Type]) -> tuple[list[int], int]:
    """Where values of known shapes stand in the bytes that code hands over, and how many bytes these are."""
    places, size = [], 0
    for each in types:
        places.append(size)
        size += -(-_bytes_of(each) // _ALIGNMENT) * _ALIGNMENT
    return places, size


def _bytes_of(type_: Type) -> int:
    return math.prod(type_.shape) * type_.dtype.numpy.itemsize  # type: ignore[arg-type]


class Failure:
    """What raises at a node, or in a graph that never returns: called with the bytes of its inputs, it raises.

    ``given``: of each input its type, or the array that it always is; the bytes have only those of types.
    """

    def __init__(self, source: Node | Graph, given: Sequence[Type | Array]) -> None:
        self._source, self._given = source, given
        self._places = layout([each for each in given if isinstance(each, Type)])[0]

    @functools.cached_property
    def _plan(self) -> Plan:
        if isinstance(self._source, Graph):
            graph = self._source
        else:
            node, graph = self._source, Graph("error")
            inputs = [graph.parameter(value.type, value.node.name) for value in node.inputs]
            types = [value.type for value in node.outputs]
            graph.add(node.op, inputs, node.attributes, name=node.name, where=node.where, types=types)
        with deeper(_DEEPER):
            return Plan(graph)

    def __call__(self, data: bytes) -> None:
        places = iter(self._places)
        arrays = [
            np.ndarray(each.shape, each.dtype.numpy, data, next(places)).copy()  # type: ignore[arg-type]
            if isinstance(each, Type)
            else each
            for each in self._given
        ]
        self._plan.run(*arrays)
