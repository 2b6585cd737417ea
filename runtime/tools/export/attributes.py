"""What the attributes of nodes may be: checked for every node of a saved model that is loaded.

How many inputs an op has, its kernel says; which attributes, and what they may be, its record.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import variant
from ...base.list_value import ListValue
from ...ir.graph import Type
from ...ir.op import OPS, STRUCTURAL, Op
from .values import require

__all__ = ["check_attributes"]


def check_attributes(op: Op, types: list[Type], attributes: dict[str, Any], outputs: int) -> None:
    """Raise `InvalidArgumentError` unless an op takes inputs of these types, in number, and these attributes.

    ``outputs`` is how many outputs the node is said to have.
    """
    require(not op.unsavable, f"the op {op.name!r} runs Python objects, which no saved model holds")
    if op.gradient is STRUCTURAL:
        known = op.attributes.keys()
        require(attributes.keys() == known, f"a node {op.name!r} has other attributes than {sorted(known)}")
    else:
        _check_signature(op, len(types), attributes)
    for name, value in attributes.items():
        require(op.attributes[name](value), f"the attribute {name!r} of a node {op.name!r} is of a wrong kind")
    for i in _lists_of(op):
        require(i < len(types) and types[i].dtype is variant, f"an input of a node {op.name!r} is no list")
    fits = op.fits is None or op.fits(len(types), attributes, outputs)
    require(fits, f"a node {op.name!r} has {len(types)} inputs and {outputs} outputs, which its attributes do not fit")


def _check_signature(op: Op, count: int, attributes: dict[str, Any]) -> None:
    message = f"a node {op.name!r} has {count} inputs and the attributes {sorted(attributes)}, which do not fit"
    require(attributes.keys() <= op.attributes.keys(), message)
    if isinstance(op.numpy, np.ufunc):
        require(count == op.numpy.nin, message)
        return
    try:
        _signature(op.numpy).bind(*[None] * count, **attributes)
    except TypeError:
        require(False, message)
    if "by" in attributes:  # an update of a variable by another op, whose first input is the variable
        require(op.attributes["by"](attributes["by"]), message)
        rest = {key: value for key, value in attributes.items() if key not in ("by", "target")}
        _check_signature(OPS[attributes["by"]], count + 1, rest)


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


@functools.cache
def _lists_of(op: Op) -> tuple[int, ...]:
    """The inputs that are lists of tensors in all samples."""
    inputs = []
    for each in op.samples():
        is_pair = len(each) == 2 and isinstance(each[0], tuple) and isinstance(each[1], dict)
        inputs.append(each[0] if is_pair else each)
    shortest = min(map(len, inputs), default=0)
    return tuple(i for i in range(shortest) if all(isinstance(arrays[i], ListValue) for arrays in inputs))
