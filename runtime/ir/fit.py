"""Whether the types of values fit the parameters that they are given to."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.errors import GraphError

from ..base import shapes
from ..base.dtypes import bool_
from .graph import Graph, Type


def check_loop(test: Graph, body: Graph, initial: Sequence[Type]) -> None:
    """Raise `GraphError` unless the graphs fit each other and the types of the initial state."""
    parameters = [value.type for value in body.parameters]
    if [value.type for value in test.parameters] != parameters:
        raise GraphError("the test and the body of a while differ in their parameters")
    if not test.never_returns:
        types = [value.type for value in test.outputs]
        if len(types) != 1 or types[0].dtype is not bool_ or not shapes.is_compatible(types[0].shape, ()):
            raise GraphError(f"the test of a while must give one bool, not {', '.join(map(str, types)) or 'nothing'}")
    check_fit("initial state", initial, parameters)
    if not body.never_returns:
        check_fit("body's outputs", [value.type for value in body.outputs], parameters)


def check_fit(what: str, types: Sequence[Type], parameters: Sequence[Type]) -> None:
    """Raise `GraphError` unless each type fits the parameter it is given to."""
    if len(types) != len(parameters):
        raise GraphError(f"{what}: {len(types)} values for {len(parameters)} parameters")
    for i, (given, parameter) in enumerate(zip(types, parameters, strict=True)):
        if given.dtype is not parameter.dtype or not shapes.is_subshape(given.shape, parameter.shape):
            raise GraphError(f"{what}: value {i} is {given}, which does not fit {parameter}")
