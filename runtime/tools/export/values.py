"""Python values as JSON: attributes of nodes, arguments and results of functions.

None, bools, whole numbers, finite floats and strings stand for themselves, a list for a tuple. Everything else is an
object with a single key, which says what it is:

========================================  ==============================================================
``{"float": "nan"}``                      a float that JSON does not have: ``"nan"``, ``"inf"``, ``"-inf"``
``{"complex": [1.0, 2.0]}``               a complex number
``{"bytes": "00ff"}``                     bytes, in hexadecimal
``{"ellipsis": true}``                    ``...``
``{"list": […]}``                         a list
``{"dict": [[key, value], …]}``           a mapping, in its own order
``{"namedtuple": [name, fields, […]]}``   a named tuple
``{"dataclass": [name, fields, […]]}``    a dataclass instance
``{"optional": [flag, value]}``           a result that is None where the flag is false
``{"dtype": "float32"}``                  a dtype; ``{"numpy dtype": …}``: NumPy's
``{"shape": [2, null]}``                  a `TensorShape`; of unknown rank: null
``{"spec": ["float32", [2], "x"]}``       a `TensorSpec` (dtype, shape, name or null)
``{"array spec": [dtype, shape, …]}``     a `TensorArraySpec` (dtype, shape, dynamic_size, infer_shape)
``{"composite": [spec, [output]]}``       a result of a function that is made of tensors: a tensor array
``{"tensor": "constants/0"}``             an array of the weights file; ``{"eager": …}``: as a tensor
``{"tensors": […]}``                      a list of tensors as one value (a tensor of dtype variant)
``{"variable": 0}``                       a variable, by its place in the table of variables
``{"graph": 0}``                          a sub-graph of a node, by its place in the table of sub-graphs
``{"function": 0}``                       the graph that a node calls, by its place in the table of functions
``{"output": 0}``                         a result of a function, by its place among the graph's outputs
``{"error": {…}}``, ``{"slot": 0}``       an exception to be raised, and the place of a tensor in it
``{"slice": [start, stop, step]}``        a slice, in the arguments of the op ``text``
``{"place": 0}``, ``{"rows": 0}``         the place of a tensor there, as a value and as the list of its rows
``{"maybe": [flag, …]}``                  what is None there unless the tensor at the place ``flag`` is true
``{"shown": [str, repr]}``                an object there, of which only the texts are known
========================================  ==============================================================
"""

from __future__ import annotations

import collections
import dataclasses
import keyword
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base.dtypes import ALL, DType, from_numpy
from ...base.list_value import ListValue
from ...base.shapes import Shape, TensorShape, as_shape
from ...functions.optional import OptionalOutput, RunTimeOutput
from ...ir.graph import Graph
from ...ir.kinds import MAX_RANK
from ...ops.text import text
from ...state.tensor_array import TensorArraySpec
from ...state.variable import Variable
from ...tensors.spec import TensorSpec
from ...tensors.tensor import EagerTensor

__all__ = ["CompositeOutput", "NotSavable", "Output", "Source", "Target", "decode", "encode"]

DTYPES = {dtype.name: dtype for dtype in ALL}


class NotSavable(Exception):
    """A value has no form in a saved model; the text says which. Whoever knows the place turns it into an error."""


class Output:
    """A result of a function: the place among the outputs of its graph."""

    def __init__(self, index: int) -> None:
        self.index = index


class CompositeOutput:
    """A result of a function that is made of several of the outputs of its graph."""

    def __init__(self, spec: TensorArraySpec, outputs: tuple[Output, ...]) -> None:
        self.spec = spec
        self.outputs = outputs


class Target(Protocol):
    """Where encoded values put what they share."""

    def array(self, array: np.ndarray[Any, Any]) -> str: ...

    def variable(self, variable: Variable) -> int: ...

    def graph(self, graph: Graph) -> int: ...

    def function(self, graph: Graph) -> int: ...


class Source(Protocol):
    """Where decoded values take from what they share; all raise `InvalidArgumentError`."""

    def array(self, name: str) -> np.ndarray[Any, Any]: ...

    def variable(self, index: object) -> Variable: ...

    def graph(self, index: object) -> Graph: ...

    def function(self, index: object) -> Graph: ...


def require(condition: object, message: str) -> None:
    """Raise `InvalidArgumentError` unless the condition holds; `saved_model.load` makes a `SavedFileError` of it."""
    if not condition:
        raise InvalidArgumentError(message)


def is_index(value: object, length: int) -> bool:
    """Whether a value is the place of an item of a table."""
    return type(value) is int and 0 <= value < length


# Out


def encode(value: object, target: Target) -> Any:
    """The JSON form of a value. Raises `NotSavable` when there is none."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int and abs(value) < 2**64:
        return value
    if type(value) is str:
        return _text(value)
    if type(value) is tuple:
        return [encode(item, target) for item in value]
    writer = WRITERS.get(type(value))
    if writer is not None:
        return writer(value, target)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"namedtuple": [type(value).__name__, list(value._fields), [encode(item, target) for item in value]]}
    if isinstance(value, Mapping):
        return {"dict": [[encode(key, target), encode(item, target)] for key, item in value.items()]}
    if isinstance(value, np.dtype):
        return {"numpy dtype": from_numpy(value).name}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"tensor": target.array(np.asarray(value))}
    if isinstance(value, Variable):
        return {"variable": target.variable(value.origin)}
    if isinstance(value, RunTimeOutput):
        raise NotSavable("a list of elements that have parts, of which only the run tells the length")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return {"dataclass": [type(value).__name__, fields, [encode(getattr(value, f), target) for f in fields]]}
    raise NotSavable(f"a value of type {type(value).__qualname__}")


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NotSavable("a string that is no Unicode text") from None
    return value


def _float(value: float, target: Target) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


def _eager(value: EagerTensor, target: Target) -> Any:
    if isinstance(value.array, ListValue):
        return _list_value(value.array, target)
    return {"eager": target.array(value.array)}


def _list_value(value: ListValue, target: Target) -> Any:
    return {"tensors": [encode(item, target) for item in value.items()]}


WRITERS: dict[type, Callable[[Any, Target], Any]] = {
    float: _float,
    complex: lambda value, target: {"complex": [_float(value.real, target), _float(value.imag, target)]},
    bytes: lambda value, target: {"bytes": value.hex()},
    type(...): lambda value, target: {"ellipsis": True},
    list: lambda value, target: {"list": [encode(item, target) for item in value]},
    OptionalOutput: lambda value, target: {"optional": [encode(value.flag, target), encode(value.value, target)]},
    Output: lambda value, target: {"output": value.index},
    DType: lambda value, target: {"dtype": value.name},
    TensorShape: lambda value, target: {"shape": encode_shape(as_shape(value))},
    TensorArraySpec: lambda value, target: {"array spec": _encode_array_spec(value)},
    CompositeOutput: lambda value, target: {"composite": [encode(value.spec, target), encode(value.outputs, target)]},
    TensorSpec: lambda value, target: {"spec": [value.dtype.name, encode_shape(value.type.shape), value.name]},
    EagerTensor: _eager,
    ListValue: _list_value,
    Graph: lambda value, target: {"graph": target.graph(value)},
    slice: lambda value, target: {"slice": [encode(part, target) for part in (value.start, value.stop, value.step)]},
    text.Slot: lambda value, target: {"place": value[0]},
    text.Items: lambda value, target: {"rows": value[0]},
    text.Optional: lambda value, target: {"maybe": [value.flag, encode(value.layout, target)]},
    text.Shown: lambda value, target: {"shown": [_text(str(value)), _text(repr(value))]},
}


def _encode_array_spec(spec: TensorArraySpec) -> list[Any]:
    shape, dtype, dynamic_size, infer_shape = spec.key()
    return [dtype.name, encode_shape(shape), dynamic_size, infer_shape]


def encode_shape(shape: Shape) -> Any:
    """A list of dimensions, null for what is unknown."""
    return None if shape is None else list(shape)


# In


def decode(data: Any, source: Source) -> Any:
    """The value of a JSON form. Raises `InvalidArgumentError` when it is none."""
    if data is None or type(data) in (bool, str, float):
        return data
    if type(data) is int:
        require(abs(data) < 2**64, "a number is too large")
        return data
    if type(data) is list:
        return tuple([decode(item, source) for item in data])
    require(type(data) is dict and len(data) == 1, "a value is none of the known kinds")
    ((kind, content),) = data.items()
    reader = READERS.get(kind)
    require(reader is not None, f"there is no kind of value {kind!r}")
    return reader(content, source)  # type: ignore[misc]


def decode_shape(data: Any) -> Shape:
    """The shape for what `encode_shape` gave."""
    if data is None:
        return None
    require(type(data) is list and len(data) <= MAX_RANK, "a shape is no short list")
    require(all(d is None or (type(d) is int and 0 <= d < 2**63) for d in data), "a dimension is no whole number")
    return tuple(data)


def decode_dtype(data: Any) -> DType:
    """The dtype of a name."""
    require(type(data) is str and data in DTYPES, f"there is no dtype {data!r}")
    return DTYPES[data]


def _items(data: Any, source: Source) -> list[Any]:
    require(type(data) is list, "the items of a structure are no list")
    return [decode(item, source) for item in data]


def _nonfinite(data: Any, source: Source) -> float:
    require(data in ("nan", "inf", "-inf"), "a float is not valid")
    return float(data)


def _complex(data: object, source: Source) -> complex:
    parts = _items(data, source)
    require(len(parts) == 2 and all(type(part) is float for part in parts), "a complex number is not valid")
    return complex(*parts)


def _bytes(data: Any, source: Source) -> bytes:
    require(type(data) is str and len(data) % 2 == 0 and not set(data) - set("0123456789abcdef"), "bytes are not valid")
    return bytes.fromhex(data)


def _ellipsis(data: object, source: Source) -> Any:
    require(data is True, "an ellipsis is not valid")
    return ...


def _dict(data: Any, source: Source) -> dict[Any, Any]:
    require(type(data) is list and all(type(pair) is list and len(pair) == 2 for pair in data), "a dict is no pairs")
    result: dict[Any, Any] = {}
    for key, item in data:
        key = decode(key, source)
        require(_is_key(key) and key not in result, "a key of a dict is twice there, or none")
        result[key] = decode(item, source)
    return result


def _is_key(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_key, value))
    return value is None or type(value) in (bool, int, float, str, bytes)


_types: dict[tuple[str, str, tuple[str, ...]], type] = {}


def _record(kind: str, make: Callable[[str, tuple[str, ...]], type]) -> Callable[[Any, Source], Any]:
    def read(data: Any, source: Source) -> Any:
        require(type(data) is list and len(data) == 3, f"a {kind} is not valid")
        name, fields, items = data
        are_lists = type(fields) is list and type(items) is list
        require(are_lists and len(fields) == len(items) <= 255, f"a {kind} is not valid")
        require(all(map(is_name, [name, *fields])) and len(set(fields)) == len(fields), f"a {kind} has no names")
        values = [decode(item, source) for item in items]
        place = kind, name, tuple(fields)
        made = _types.get(place)
        if made is None:
            if len(_types) >= 256:
                _types.clear()
            made = _types[place] = make(name, tuple(fields))
        return made(*values)

    return read


def is_name(name: str) -> bool:
    return (
        type(name) is str and len(name) <= 255 and name.isascii() and name.isidentifier()
        and not keyword.iskeyword(name) and not name.startswith("_")
    )  # fmt: skip


def _optional(data: object, source: Source) -> OptionalOutput:
    parts = _items(data, source)
    require(len(parts) == 2, "an optional result is not valid")
    return OptionalOutput(*parts)


def _spec(data: Any, source: Source) -> TensorSpec:
    require(type(data) is list and len(data) == 3 and (data[2] is None or type(data[2]) is str), "a spec is not valid")
    return TensorSpec(decode_shape(data[1]), decode_dtype(data[0]), data[2])


def _array_spec(data: Any, source: Source) -> TensorArraySpec:
    require(type(data) is list and len(data) == 4, "the spec of a tensor array is not valid")
    require(type(data[2]) is bool and type(data[3]) is bool, "the spec of a tensor array is not valid")
    return TensorArraySpec(decode_shape(data[1]), decode_dtype(data[0]), data[2], data[3])


def _composite(data: object, source: Source) -> CompositeOutput:
    parts = _items(data, source)
    require(len(parts) == 2 and isinstance(parts[0], TensorArraySpec), "a result is made of no known parts")
    spec, outputs = parts
    fits = type(outputs) is tuple and len(outputs) == len(spec.components())
    require(fits and all(isinstance(each, Output) for each in outputs), "a result is made of no known parts")
    return CompositeOutput(spec, outputs)


def _tensors(data: object, source: Source) -> ListValue:
    items = _items(data, source)
    fits = (np.ndarray, ListValue, type(None))
    require(all(isinstance(item, fits) for item in items), "a list of tensors holds something else")
    return ListValue.of(items)


def _output(data: Any, source: Source) -> Output:
    require(is_index(data, 2**31), "the place of a result is not valid")
    return Output(data)


def _slice(data: object, source: Source) -> slice:
    parts = _items(data, source)
    require(len(parts) == 3, "a slice is not valid")
    return slice(*parts)


def _place(data: Any) -> int:
    require(is_index(data, 2**31), "the place of a tensor in a text is not valid")
    return data


def _maybe(data: Any, source: Source) -> text.Optional:
    require(type(data) is list and len(data) == 2, "a part of a text is not valid")
    return text.Optional(_place(data[0]), decode(data[1], source))


def _shown(data: Any, source: Source) -> text.Shown:
    require(type(data) is list and len(data) == 2 and all(type(part) is str for part in data), "a text is not valid")
    shown: text.Shown = object.__new__(text.Shown)
    shown.text, shown.written = data
    return shown


READERS: dict[str, Callable[[Any, Source], Any]] = {
    "float": _nonfinite,
    "complex": _complex,
    "bytes": _bytes,
    "ellipsis": _ellipsis,
    "list": _items,
    "dict": _dict,
    "namedtuple": _record("namedtuple", lambda name, fields: collections.namedtuple(name, fields)),
    "dataclass": _record("dataclass", lambda name, fields: dataclasses.make_dataclass(name, fields, eq=False)),
    "optional": _optional,
    "dtype": lambda data, source: decode_dtype(data),
    "numpy dtype": lambda data, source: decode_dtype(data).numpy,
    "shape": lambda data, source: TensorShape(decode_shape(data)),
    "spec": _spec,
    "array spec": _array_spec,
    "composite": _composite,
    "tensor": lambda data, source: source.array(data),
    "eager": lambda data, source: EagerTensor(source.array(data)),
    "tensors": _tensors,
    "variable": lambda data, source: source.variable(data),
    "graph": lambda data, source: source.graph(data),
    "function": lambda data, source: source.function(data),
    "output": _output,
    "slice": _slice,
    "place": lambda data, source: text.Slot(_place(data)),
    "rows": lambda data, source: text.Items(_place(data)),
    "maybe": _maybe,
    "shown": _shown,
}
