"""What the attributes of nodes may be: checked for every node of a saved model that is loaded.

Which attributes an op has, and how many inputs, its kernel and its inference say. What values they may have is known
by their names, which mean the same for all ops.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.dtypes import DType, int64, variant
from ...ir.graph import Graph, Type
from ...ir.op import OPS, Op
from ...ops.host.host import ErrorTemplate
from ...ops.kernels.list_value import ListValue
from ...ops.text import text
from ...state.variable import Variable
from .exceptions import slots_of
from .values import MAX_RANK, require

__all__ = ["check_attributes"]

# Ops that hold other graphs, with their attributes.
_STRUCTURAL = {
    "placeholder": frozenset(),
    "constant": frozenset(["value"]),
    "cond": frozenset(["then", "orelse"]),
    "while": frozenset(["test", "body", "count"]),
    "call": frozenset(["graph"]),
    "custom_gradient": frozenset(["arguments", "results", "backward", "sources"]),
}
# Ops that change a variable by what another op makes of its value.
_UPDATES = ("set_item", "add_at", *[f"tensor_scatter_nd_{how}" for how in ("update", "add", "sub", "max", "min")])


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_rank(value: Any) -> bool:
    return type(value) is int and abs(value) <= MAX_RANK


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_graph(value: Any) -> bool:
    return isinstance(value, Graph)


def _optional(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or test(value)


def _either(*tests: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: any(test(value) for test in tests)


def _tuple_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is tuple and all(map(test, value))


def _is_source(value: Any) -> bool:
    return (
        type(value) is tuple and len(value) == 2 and isinstance(value[0], (Variable, type(None))) and _is_bool(value[1])
    )


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str, DType))


def _is_layout(value: Any) -> bool:
    """Whether a value may stand in the arguments of the op ``text``."""
    if isinstance(value, text.Optional):
        return _is_layout(value.layout)
    if isinstance(value, (list, tuple)):
        return all(map(_is_layout, value))
    if isinstance(value, dict):
        return all(map(_is_layout, value.values()))
    if isinstance(value, slice):
        return all(map(_is_layout, (value.start, value.stop, value.step)))
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.ndarray, text._Shown))


def _places(value: Any) -> list[int]:
    """The places of inputs in the arguments of the op ``text``."""
    if isinstance(value, (text.Slot, text.Items)):
        return [value[0]]
    if isinstance(value, text.Optional):
        return [value.flag, *_places(value.layout)]
    if isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    elif isinstance(value, dict):
        value = list(value.values())
    return [i for item in value for i in _places(item)] if isinstance(value, (list, tuple)) else []


_is_axes = _optional(_either(_is_rank, _tuple_of(_is_rank)))
_is_dims = _optional(_tuple_of(_optional(_is_int)))
_is_count = _optional(_is_int)
_KINDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("keepdims", "exclusive", "reverse", "descending", "endpoint", "equal_nan", "full"), _is_bool),
    **dict.fromkeys(("k", "num", "depth", "decimals", "order", "arguments", "results", "upper", "summarize"), _is_int),
    **dict.fromkeys(("count", "length", "minlength", "maxlength", "maxlen", "maxsplit", "seed"), _is_count),
    **dict.fromkeys(("shape", "size", "multiples"), _is_dims),
    **dict.fromkeys(("equation", "mode", "side", "unit", "separator", "encoding", "pattern", "rewrite"), _is_text),
    **dict.fromkeys(("spec", "width", "conversion", "kind"), _optional(_is_text)),
    **dict.fromkeys(("rtol", "atol", "ddof"), _is_number),
    **dict.fromkeys(("variable", "target"), lambda value: isinstance(value, Variable)),
    **dict.fromkeys(("then", "orelse", "test", "body", "backward", "graph"), _is_graph),
    "lower": _either(_is_int, _is_bool),
    "batch_dims": _is_rank,
    "axis": _is_axes,
    "perm": _is_axes,
    "axes": _either(_is_rank, _tuple_of(_tuple_of(_is_rank))),
    "dtype": _optional(lambda value: isinstance(value, DType)),
    "ord": _either(_is_number, _is_text, lambda value: value is None),
    "sizes": _either(_is_int, _tuple_of(_is_int)),
    "paddings": _optional(_tuple_of(_tuple_of(_is_int))),
    "sep": _optional(_is_text),
    "pieces": _tuple_of(_is_text),
    "sources": _tuple_of(_is_source),
    "value": lambda value: isinstance(value, (np.ndarray, ListValue)),
    "error": lambda value: isinstance(value, ErrorTemplate),
    "stream": lambda value: value in ("stderr", "stdout"),
    "by": lambda value: value in _UPDATES,
    "method": _is_text,
    "layout": lambda value: type(value) is tuple and _is_layout(value),
}


def check_attributes(op: Op, types: list[Type], attributes: dict[str, Any], outputs: int) -> None:
    """Raise `InvalidArgumentError` unless an op takes inputs of these types, in number, and these attributes.

    ``outputs`` is how many outputs the node is said to have.
    """
    require(not op.unsavable, f"the op {op.name!r} runs Python objects, which no saved model holds")
    known = _STRUCTURAL.get(op.name)
    if known is not None:
        require(attributes.keys() == known, f"a node {op.name!r} has other attributes than {sorted(known)}")
    else:
        _check_signature(op, len(types), attributes)
    for name, value in attributes.items():
        require(_KINDS.get(name, _is_plain)(value), f"the attribute {name!r} of a node {op.name!r} is of a wrong kind")
    for i in _lists_of(op):
        require(i < len(types) and types[i].dtype is variant, f"an input of a node {op.name!r} is no list")
    _check_values(op.name, types, attributes, outputs)


def _check_signature(op: Op, count: int, attributes: dict[str, Any]) -> None:
    message = f"a node {op.name!r} has {count} inputs and the attributes {sorted(attributes)}, which do not fit"
    if isinstance(op.numpy, np.ufunc):
        require(count == op.numpy.nin and not attributes, message)
        return
    signature = _signature(op.numpy)
    try:
        signature.bind(*[None] * count, **attributes)
    except TypeError:
        require(False, message)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values()):
        if "by" in attributes:  # an update of a variable by another op, whose first input is the variable
            require(attributes["by"] in _UPDATES, message)
            rest = {key: value for key, value in attributes.items() if key not in ("by", "target")}
            _check_signature(OPS[attributes["by"]], count + 1, rest)
        else:
            require(attributes.keys() <= _sampled(op), message)


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


@functools.cache
def _samples(op: Op) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    pairs: list[Any] = list(op.samples())
    is_pair = [len(each) == 2 and isinstance(each[0], tuple) and isinstance(each[1], dict) for each in pairs]
    return [each if paired else (each, {}) for each, paired in zip(pairs, is_pair, strict=True)]


@functools.cache
def _sampled(op: Op) -> frozenset[str]:
    """The attributes that the samples of an op have."""
    return frozenset(name for _, attributes in _samples(op) for name in attributes)


@functools.cache
def _lists_of(op: Op) -> tuple[int, ...]:
    """The inputs that are lists of tensors in all samples."""
    inputs = [arrays for arrays, _ in _samples(op)]
    shortest = min(map(len, inputs), default=0)
    return tuple(i for i in range(shortest) if all(isinstance(arrays[i], ListValue) for arrays in inputs))


def _check_values(name: str, types: list[Type], attributes: dict[str, Any], outputs: int) -> None:
    """What only values can say: how many outputs there are, and places in the inputs."""
    match name:
        case "split" | "unstack":
            parts = attributes["sizes" if name == "split" else "num"]
            require(type(parts) is not int or parts == outputs, f"a node {name!r} has {outputs} outputs, not {parts}")
        case "print" | "string_format":
            require(len(attributes["pieces"]) == len(types) + 1, f"a node {name!r} has too few pieces of text")
        case "text":
            require(all(i < len(types) for i in _places(attributes["layout"])), "a text misses inputs")
        case "raise" | "assert":
            room = len(types) - (name == "assert")
            require(all(i < room for i in slots_of(attributes["error"]._content)), f"a node {name!r} misses inputs")
        case "custom_gradient":
            count, results = attributes["arguments"], attributes["results"]
            require(count >= 0 and 0 <= results == outputs and count + results <= len(types),
                    "a custom_gradient has too few inputs")  # fmt: skip
        case "while":
            require(0 <= attributes["count"] == outputs <= len(types), "a while has too few inputs")
        case "generator_take":
            target = attributes["target"]
            require(target.dtype is int64 and target.static_shape == (3,), "a generator has no state")
