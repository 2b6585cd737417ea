"""What Python does with a `str`, done when the graph runs: formatting, and the methods of `str` on string tensors.

The op ``text`` calls a function of Python on Python's values: a string is a `str` (characters, not bytes), a number
an `int` or `float`. Where tensors stand in its arguments is written in a layout: the arguments, with a `Slot` for each.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autograph.errors import InvalidTypeError

from ...base.dtypes import Array, bool_, int32, string
from ...ir import records
from ...ir.graph import Value
from ...ir.kinds import TEXT, kinds
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, Type, op
from ...tensors.convert import convert_to_tensor
from ...tensors.likes import TensorLike
from ...tensors.tensor import SymbolicTensor, Tensor
from ...tensors.trace_text import written
from . import sometimes_bool

__all__ = ["METHODS", "Items", "Optional", "Slot", "apply_text", "method_of", "text_op", "text_while_tracing"]


class Slot(NamedTuple):
    """The place of a tensor in a layout."""

    position: int


class Items(NamedTuple):
    """The place of a list: the rows of a tensor."""

    position: int


class Optional(NamedTuple):
    """The place of a value that may be None, and of the tensor that says whether it is not."""

    flag: int
    layout: Any


MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict)
"""The kinds of dicts that a layout may hold; those of the user may write themselves in other ways."""


def is_named_tuple(value: object) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _rebuilt(structure: Any, items: list[Any]) -> Any:
    kind = type(structure)
    if kind is collections.defaultdict:
        return kind(structure.default_factory, items)
    return kind(*items) if is_named_tuple(structure) else kind(items)


def filled(layout: Any, arrays: tuple[Any, ...]) -> Any:
    """The arguments that a layout stands for."""
    kind = type(layout)
    if kind is Slot:
        return python_value(arrays[layout.position])
    if kind is Items:
        return [python_value(row) for row in np.asarray(arrays[layout.position])]
    if kind is Optional:
        return filled(layout.layout, arrays) if arrays[layout.flag] else None
    if isinstance(layout, (list, tuple)):
        return _rebuilt(layout, [filled(each, arrays) for each in layout])
    if kind in MAPPINGS:
        return _rebuilt(layout, [(key, filled(each, arrays)) for key, each in layout.items()])
    if kind is slice:
        return slice(*[filled(each, arrays) for each in (layout.start, layout.stop, layout.step)])
    return layout


def python_value(array: Array) -> Any:
    """The value of a scalar as Python's own type; a float is the one with the same shortest text."""
    if isinstance(array, bytes):
        return _decoded(array)
    array = np.asarray(array)
    if array.ndim:
        return np.vectorize(_decoded, otypes=[object])(array) if array.dtype == object else array
    value = array[()]
    if isinstance(value, bytes):
        return _decoded(value)
    if isinstance(value, (np.float16, np.float32)):
        return float(str(value))
    return complex(str(value)) if isinstance(value, np.complex64) else value.item()


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _vector(values: list[str]) -> Any:
    result = np.empty(len(values), object)
    result[:] = [_encoded(value) for value in values]
    return result


def _parts(values: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple([_encoded(value) for value in values])


_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {None: lambda value: value, "s": str, "r": repr, "a": ascii}


def _format(value: object, conversion: str | None, specification: str) -> str:
    return format(_CONVERSIONS[conversion](value), specification)


def _extreme(function: Callable[..., Any], values: Tensor, *default: object) -> Any:
    return function(values, default=default[0]) if default else function(values)


def _names(text: str) -> dict[str, Callable[..., Any]]:
    return {name: getattr(str, name) for name in text.split()}


_Text = Type(string, ())
# What the functions return: how it becomes an array, and its type.
_KINDS: list[tuple[Callable[[Any], Any], Any, dict[str, Callable[..., Any]]]] = [
    (_encoded, _Text, _names(
        "__getitem__ __mod__ __mul__ capitalize casefold center expandtabs join ljust lower lstrip removeprefix "
        "removesuffix replace rjust rstrip strip swapcase title translate upper zfill"
    ) | {"format": _format, "bin": bin, "chr": chr, "hex": hex, "oct": oct,
         "max": partial(_extreme, max), "min": partial(_extreme, min)}),
    (np.bool_, Type(bool_, ()), _names(
        "__contains__ endswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable "
        "isspace istitle isupper startswith"
    )),
    (np.int32, Type(int32, ()), _names("__len__ count find index rfind rindex") | {"int": int, "ord": ord}),
    (_vector, Type(string, (None,)), _names("rsplit split splitlines") | {"list": list}),
    (_parts, (_Text, _Text, _Text), _names("partition rpartition")),
]  # fmt: skip
_FUNCTIONS = {name: (function, to_array, kind) for to_array, kind, names in _KINDS for name, function in names.items()}
METHODS = frozenset(name for name in _FUNCTIONS if hasattr(str, name) and name != "format")
"""The methods of `str` that string tensors have."""


def _text(*arrays: Array, method: str, layout: tuple[Any, ...]) -> Any:
    function, to_array, _ = _FUNCTIONS[method]
    return to_array(function(*filled(layout, arrays)))


def _infer(*_: Type, method: str, layout: tuple[Any, ...]) -> Any:
    return _FUNCTIONS[method][2]


_RAISES: dict[str, tuple[type[Exception], ...]] = {
    "chr": (ValueError, OverflowError),
    "ord": (TypeError,),
    "int": (ValueError,),
    "index": (ValueError,),
    "rindex": (ValueError,),
}
"""What functions may raise whatever else they are given."""


def _raises(_: Sequence[Value], attributes: dict[str, Any]) -> tuple[type[Exception], ...]:
    method, layout = attributes["method"], attributes["layout"]
    if method in _RAISES:
        return _RAISES[method]
    if method == "__getitem__" and type(layout[1]) is not slice:
        return (IndexError,)
    if method in ("split", "rsplit", "partition", "rpartition") and Slot in map(type, layout[1:2]):  # it may be empty
        return (ValueError,)
    if method in ("max", "min") and type(layout[0]) is Items and len(layout) == 1:
        return (ValueError,)
    if method == "format" and (type(layout[2]) is not str or layout[2].endswith("c")):
        return (OverflowError, ValueError)
    if method == "__mod__" and (type(layout[0]) is not str or _CHARACTER.search(layout[0])):
        return (OverflowError, TypeError, ValueError)
    return ()


_CHARACTER = re.compile(r"%[^%a-zA-Z]*c")


def _samples() -> list[Any]:
    def sample(method: str, layout: tuple[Any, ...], *arrays: object) -> Any:
        return arrays, {"method": method, "layout": layout}

    text = np.array(b"a b", object)
    return [
        sample("format", (Slot(0), None, ".2f"), np.array(1.5)),
        sample("format", ([Slot(0), Optional(1, Slot(2))], "r", ""), text, np.array(False), np.float32(0.1)),
        sample("__mod__", ("%d of %s", (Slot(0), Items(1))), np.int32(3), np.array([1, 2])),
        sample("split", (Slot(0), " "), text),
        sample("partition", (Slot(0), " "), text),
        sample("startswith", (Slot(0), ("a", "c")), text),
        sample("__getitem__", (Slot(0), slice(Slot(1), None)), text, np.int32(1)),
        sample("find", (Slot(0), Slot(0)), text),
    ]


text_op = op(
    "text", infer=_infer, numpy=_text, gradient=NOT_DIFFERENTIABLE, samples=_samples,
    doc="What a function of Python makes of strings and of the values to be written into them.",
    raises=_raises,
    attributes=kinds("", method=TEXT, layout=lambda value: type(value) is tuple and _is_layout(value)),
    fits=lambda count, attributes, outputs: all(i < count for i in _places(attributes["layout"])),
)  # fmt: skip


class Shown:
    """An object as it was when the function was traced: its texts."""

    def __init__(self, value: object) -> None:
        self.text, self.written = written(str, value), written(repr, value)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.written


_IMMUTABLE = (
    bool, int, float, complex, str, bytes, type(None), type, np.generic, decimal.Decimal, fractions.Fraction,
    datetime.date, datetime.time, datetime.timedelta, enum.Enum,
)  # fmt: skip


def layout_of(value: Any, tensors: list[Any]) -> Any:
    """The layout of an argument; the tensors that it holds are appended.

    A class may say what stands for its objects: ``__text_layout__(self, tensors)``.
    """
    if isinstance(value, Tensor):
        sometimes_bool.check(value, "the text")
        tensors.append(value)
        return Slot(len(tensors) - 1)
    own = getattr(type(value), "__text_layout__", None)
    if own is not None:
        return own(value, tensors)
    kind = type(value)
    if kind in (list, tuple) or is_named_tuple(value):
        return _rebuilt(value, [layout_of(each, tensors) for each in value])
    if kind in MAPPINGS:
        return _rebuilt(value, [(key, layout_of(each, tensors)) for key, each in value.items()])
    if kind is slice:
        return slice(*[layout_of(each, tensors) for each in (value.start, value.stop, value.step)])
    if isinstance(value, _IMMUTABLE):
        return value
    if hasattr(type(value), "__tensor__"):
        return layout_of(convert_to_tensor(value), tensors)
    return value.copy() if isinstance(value, np.ndarray) else Shown(value)


@FUNCTIONS.give
def apply_text(method: str, *arguments: object) -> Any:
    """The text (or number, or truth) that a function of Python gives for arguments with tensors in them."""
    tensors: list[Any] = []
    layout = tuple([layout_of(each, tensors) for each in arguments])
    return text_op(*tensors, method=method, layout=layout)


class _Name(str):
    """What stands in a text for a staged value while tracing, whatever the format."""

    def __format__(self, specification: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def _is_layout(value: object) -> bool:
    """Whether a value may stand in the arguments of a text."""
    if isinstance(value, Optional):
        return _is_layout(value.layout)
    if isinstance(value, (list, tuple)):
        return all(map(_is_layout, value))
    if isinstance(value, dict):
        return all(map(_is_layout, value.values()))
    if isinstance(value, slice):
        return all(map(_is_layout, (value.start, value.stop, value.step)))
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.ndarray, Shown))


def _places(value: Tensor) -> list[int]:
    """The places of inputs in the arguments of a text."""
    if isinstance(value, (Slot, Items)):
        return [value[0]]
    if isinstance(value, Optional):
        return [value.flag, *_places(value.layout)]
    if isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    elif isinstance(value, dict):
        value = list(value.values())
    return [i for item in value for i in _places(item)] if isinstance(value, (list, tuple)) else []


def text_while_tracing(tensor: Any) -> str:
    """What `print` shows of a graph tensor: of an f-string and the like the text, with the names of staged values."""
    node = tensor.value.node
    if node.op is text_op and node.attributes["method"] in ("format", "__mod__", "join"):
        names = [_Name(text_while_tracing(SymbolicTensor(_uncast(value)))) for value in node.inputs]
        try:
            return _FUNCTIONS[node.attributes["method"]][0](*_named(node.attributes["layout"], names))
        except TypeError:  # `%d` of a name, a list of unknown length
            pass
    return str(tensor)


def _uncast(value: Value) -> Value:
    """The number that has been cast so that its exact value is written."""
    return value.node.inputs[0] if value.node.op is records.cast else value


def _named(layout: Any, names: list[_Name]) -> Any:
    """A layout with names for its tensors; raises `TypeError` where one has to be more than a name."""
    if isinstance(layout, Slot):
        return names[layout.position]
    if isinstance(layout, (Items, Optional)):
        raise TypeError
    if isinstance(layout, (list, tuple)):
        return _rebuilt(layout, [_named(each, names) for each in layout])
    if type(layout) in MAPPINGS:
        return _rebuilt(layout, [(key, _named(each, names)) for key, each in layout.items()])
    return layout


_PARAMETERS: dict[str, tuple[str, ...]] = {
    "split": ("sep", "maxsplit"), "rsplit": ("sep", "maxsplit"), "splitlines": ("keepends",),
    "expandtabs": ("tabsize",), "replace": ("old", "new", "count"),
}  # fmt: skip
_DEFAULTS = {"sep": None, "maxsplit": -1, "keepends": False, "tabsize": 8}


def positional(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a method of `str`, all by position.

    Raises `TypeError` for a keyword that the method does not have.
    """
    if not keywords:
        return arguments
    parameters = _PARAMETERS.get(name, ())
    for key in keywords:
        if key not in parameters[len(arguments) :]:
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
    last = max(parameters.index(key) for key in keywords) + 1
    rest = parameters[len(arguments) : last]
    return arguments + tuple([keywords[key] if key in keywords else _DEFAULTS[key] for key in rest])


@FUNCTIONS.give
def method_of(tensor: Any, name: str) -> Callable[..., Any] | None:
    """The method of `str` of that name, for a string tensor of rank 0; None when there is none."""
    if tensor.dtype is not string or name not in METHODS or tensor.static_shape not in ((), None):
        return None

    def method(*arguments: object, **keywords: object) -> Any:
        return apply_text(name, tensor, *positional(name, arguments, keywords))

    return method


@FUNCTIONS.give
def get_part(tensor: TensorLike, key: object) -> Any:
    """``s[i]`` and ``s[i:j]`` of a string tensor of rank 0: characters, as Python counts them."""
    if isinstance(key, Tensor) and (not key.dtype.is_integer or key.static_shape not in ((), None)):
        raise InvalidTypeError("string indices must be integers", remedy="write s[i] with one whole number")
    return apply_text("__getitem__", tensor, key)
