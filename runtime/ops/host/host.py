"""Nodes that act on the world outside the graph: print, raise, assert, and calls back into Python.

All have effects: they run in program order, and only when reached.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError, InvalidTypeError

from ...base import nest
from ...base.dtypes import Array, DType, as_dtype, bool_, float64, variant
from ...base.provided import Provided
from ...ir.effects import Effects
from ...ir.graph import Type, Value, foreign_value_error
from ...ir.kinds import kinds, one_of
from ...ir.notes import BY_HAND
from ...ir.op import FUNCTIONS, NOT_DIFFERENTIABLE, STRUCTURAL, op
from ...tensors import trace
from ...tensors.convert import convert_to_tensor, wrap
from ...tensors.likes import TensorLike
from ...tensors.tensor import SymbolicTensor, Tensor
from ..kernels.print_format import format_array

__all__ = ["assert_node", "numpy_function", "print", "py_function", "raise_node", "timestamp"]


def _no_outputs(*_: Type, **__: object) -> tuple[Type, ...]:
    return ()


# Printing


def fill_gaps(count: int, attributes: dict[str, Any], outputs: int) -> bool:
    """Whether there is one input between each two pieces of text."""
    return len(attributes["pieces"]) == count + 1


def _print(*arrays: Array, pieces: tuple[str, ...], summarize: int, stream: object) -> tuple[()]:
    if len(arrays) == 1 and pieces[0] == "" and np.ndim(arrays[0]) == 0 and isinstance(_item(arrays[0]), bytes):
        shown = [_item(arrays[0]).decode("utf-8", "replace")]  # a string alone is printed as it is
    else:
        shown = [format_array(np.asarray(array), summarize) for array in arrays]
    text = pieces[0] + "".join(part + piece for part, piece in zip(shown, pieces[1:], strict=True))
    _write(text, stream)
    return ()


def _item(array: Array) -> Any:
    return array[()] if isinstance(array, np.ndarray) else array


def _write(text: str, stream: Any) -> None:
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
    elif isinstance(stream, str):
        target = getattr(sys, stream)
        target.write(text)
        target.flush()
    elif hasattr(stream, "write"):
        stream.write(text)
    else:  # a function of the logging module
        stream(text.removesuffix("\n"))


PRINT = op("print", gradient=NOT_DIFFERENTIABLE, infer=_no_outputs, numpy=_print, effects=Effects.PRINTS, doc=(
    "Writes ``pieces[0]``, the first input, ``pieces[1]``, … to ``stream``."),
    attributes=kinds("pieces summarize", stream=one_of("stderr", "stdout")), fits=fill_gaps)  # fmt: skip


def print(*inputs: Any, output_stream: object = None, summarize: int = 3, sep: str = " ", end: str = "\n",
          name: str | None = None) -> Any:  # fmt: skip
    """Print tensors and Python values, in a graph on every run. Returns None; in a graph built by hand, the operation.

    The format is TensorFlow's: arrays show ``summarize`` items at each end of each dimension (-1: all), strings in
    arrays are quoted, structures look as in Python.

    Parameters
    ----------
    output_stream: `sys.stderr` when left out, `sys.stdout`, an object with ``write``, a function of `logging`, or
        ``"file://path"`` to append to a file.
    """
    tensors: list[Any] = []
    template = sep.join(value if type(value) is str else _template(value, tensors) for value in inputs) + end
    # TensorFlow shows a lone string tensor without quotes; _print knows it by the empty first piece.
    pieces = tuple(template.split(_SLOT))
    if output_stream is None or output_stream is sys.stderr:
        output_stream = "stderr"
    elif output_stream is sys.stdout:
        output_stream = "stdout"
    if not _is_stream(output_stream):
        raise InvalidArgumentError(
            f"tf.print can't write to output_stream={output_stream!r}",
            construct="output_stream",
            remedy='give it sys.stdout, sys.stderr, an object with write(), a function of logging or "file://path"',
        )
    trace.apply(PRINT, *tensors, name=name, pieces=pieces, summarize=summarize, stream=output_stream)
    graph = trace.current_graph()
    return graph.nodes[-1] if graph is not None and BY_HAND.known(graph) is not None else None


def _is_stream(stream: object) -> bool:
    if isinstance(stream, str):
        return stream in ("stdout", "stderr") or stream.startswith("file://")
    return hasattr(stream, "write") or callable(stream)


_SLOT = "\0\0tensor\0\0"


def _template(value: object, tensors: list[Any]) -> str:
    """The text of a value, with a mark for each tensor in it; those are appended to ``tensors``."""
    if isinstance(value, Tensor) or hasattr(type(value), "__tensor__"):
        tensors.append(convert_to_tensor(value))
        return _SLOT
    if not nest.is_nested(value):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_template(item, tensors)}" for key, item in value.items()) + "}"
    items = [_template(item, tensors) for _, item in nest.children(value)]
    if isinstance(value, list):
        return f"[{', '.join(items)}]"
    if type(value) is tuple:
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    fields = [f"{key}={item}" for (key, _), item in zip(nest.children(value), items, strict=True)]
    return f"{type(value).__name__}({', '.join(fields)})"


# Errors


class Slot:
    """The place of a tensor in an exception's arguments."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class ErrorTemplate:
    """An exception to be made when the graph runs: its type, arguments and attributes, with slots for tensors."""

    def __init__(self, error: BaseException) -> None:
        self.type = type(error)
        self.tensors: list[Any] = []
        self.content = self._take((tuple(error.args), dict(error.__dict__)))
        self.members = self._take(_members_of(error))
        self.cause = error.__cause__
        self.suppress = error.__suppress_context__

    def caused_by(self, cause: BaseException | None) -> None:
        """Sets what ``raise error from cause`` sets."""
        self.cause = cause
        self.suppress = True

    def _take(self, value: object) -> Any:
        if isinstance(value, Tensor):
            self.tensors.append(value)
            return Slot(len(self.tensors) - 1)
        if type(value) in (list, tuple, dict):
            return nest.rebuild(value, [self._take(child) for _, child in nest.children(value)])
        return value

    def make(self, arrays: Sequence[Any]) -> BaseException:
        """The exception, with eager tensors in the slots (``str`` for string scalars)."""
        args, attributes = self._fill(self.content, arrays)
        error = self.type.__new__(self.type, *args)
        error.args = args
        error.__dict__.update(attributes)
        for name, value in self._fill(self.members, arrays).items():
            with suppress(AttributeError, TypeError):  # it can't be set
                setattr(error, name, value)
        error.__cause__ = self.cause
        error.__suppress_context__ = self.suppress
        return error

    def _fill(self, value: object, arrays: Sequence[Any]) -> Any:
        if isinstance(value, Slot):
            item = _item(arrays[value.index])
            return item.decode("utf-8", "replace") if isinstance(item, bytes) else wrap(arrays[value.index])
        if type(value) in (list, tuple, dict):
            return nest.rebuild(value, [self._fill(child, arrays) for _, child in nest.children(value)])
        return value

    def slots(self) -> list[int]:
        """The places of tensors in it."""
        return _slots_in(self.content)

    def __repr__(self) -> str:
        return self.type.__name__


def _slots_in(value: Tensor) -> list[int]:
    if isinstance(value, Slot):
        return [value.index]
    if isinstance(value, dict):
        value = list(value.values())
    return [index for item in value for index in _slots_in(item)] if isinstance(value, (list, tuple)) else []


def _members_of(error: BaseException) -> dict[str, Any]:
    """What an exception holds in fields of its class, as ``NameError.name``, and not in its dict.

    Not the object that lacks an attribute, which a graph would keep alive.
    """
    found = {}
    for cls in type(error).__mro__:
        for name, field in vars(cls).items():
            if not isinstance(field, (MemberDescriptorType, GetSetDescriptorType)) or name.startswith("__"):
                continue
            if name == "args" or (name == "obj" and cls is AttributeError) or not hasattr(error, name):
                continue
            value = getattr(error, name)
            if value is not None or "__slots__" in vars(cls):  # fields of classes in C that are not set say None
                found[name] = value
    return found


def _raise(*arrays: Array, error: ErrorTemplate) -> tuple[()]:
    raise error.make(arrays)


def _assert(condition: Array, *arrays: Array, error: ErrorTemplate) -> tuple[()]:
    if not np.all(condition):
        raise error.make(arrays)
    return ()


def _is_template(value: Tensor) -> bool:
    return isinstance(value, ErrorTemplate)


def _own(inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[type[BaseException], ...]:
    """The class of the error that a node raises."""
    return (attributes["error"].type,)


RAISE = op("raise", gradient=NOT_DIFFERENTIABLE,
    infer=_no_outputs, numpy=_raise, effects=Effects.RAISES, raises=_own,
    doc="Raises ``error`` when reached.", native=True,
    attributes=kinds("", error=_is_template),
    fits=lambda count, attributes, outputs: all(i < count for i in attributes["error"].slots()))
ASSERT = op("assert", gradient=NOT_DIFFERENTIABLE, infer=_no_outputs, numpy=_assert, effects=Effects.RAISES,
    raises=_own, doc=(
    "Raises ``error`` unless all of the first input is true."), native=True,
    holds=lambda make, condition, *_, **__: condition,
    attributes=kinds("", error=_is_template),
    fits=lambda count, attributes, outputs: all(i < count - 1 for i in attributes["error"].slots()))  # fmt: skip


def raise_node(error: BaseException) -> None:
    """Raise an exception when the graph runs to this point; at once when nothing is traced.

    Its arguments and attributes may hold tensors, also in lists, tuples and dicts. The exception raised is a new
    object of the same type, made without calling ``__init__``.
    """
    template = ErrorTemplate(error)
    trace.apply(RAISE, *template.tensors, error=template)


@FUNCTIONS.give
def assert_node(condition: TensorLike, error: BaseException) -> None:
    """Raise an exception, as `raise_node`, unless the condition (a bool tensor) is all true."""
    template = ErrorTemplate(error)
    trace.apply(ASSERT, convert_to_tensor(condition, bool_), *template.tensors, error=template)


# Python functions


def _py_function_types(*_: Type, types: tuple[DType, ...], followed: bool = False, **__: object) -> tuple[Type, ...]:
    return (*[Type(dtype, None) for dtype in types], *([Type(variant, ())] if followed else []))


FOLLOWED_CALL: Provided[Callable[..., Any]] = Provided("runtime.gradient.python_calls")
"""A call that tapes follow: who makes a node of one has loaded it."""


def _py_function(
    *arrays: Array, function: Callable[..., Any], types: tuple[DType, ...], eager: bool, followed: bool = False
) -> tuple[Any, ...]:
    inputs = [wrap(array) if eager else np.array(array) for array in arrays]
    with trace.building(None):
        if followed:
            call = FOLLOWED_CALL.function(inputs, lambda: _results(function(*inputs), types))
            return (*[tensor.array for tensor in call.results], call)
        result = function(*inputs)
    return tuple(tensor.array for tensor in _results(result, types))


def _results(result: Any, types: tuple[DType, ...]) -> list[Any]:
    """What a function returned as eager tensors; a list or tuple holds the results."""
    parts = list(result) if isinstance(result, (list, tuple)) else [result]
    if not types and result is None:
        parts = []
    if len(parts) != len(types):
        raise InvalidArgumentError(
            f"the Python function returned {len(parts)} values instead of {len(types)}",
            remedy="return np.array(values), if the list is one result" if len(types) == 1 else None,
        )
    return [_checked(part, dtype) for part, dtype in zip(parts, types, strict=True)]


def _checked(value: Tensor, dtype: DType) -> Any:
    given = isinstance(value, (Tensor, np.ndarray, np.generic))
    tensor = convert_to_tensor(value) if given else convert_to_tensor(value, dtype)
    if isinstance(tensor, SymbolicTensor):  # of the graph around the function, which sees none of its values
        raise foreign_value_error(tensor.value)
    if tensor.dtype is not dtype:
        raise InvalidArgumentError(f"the Python function returned {tensor.dtype!r} instead of {dtype!r}")
    return tensor


PY_FUNCTION = op("py_function", infer=_py_function_types, numpy=_py_function, effects=Effects.HOST,
                 gradient=STRUCTURAL,
                 unsavable="write the function in ops, or call it outside of the saved function", raises=(Exception,),
                 doc=(
    "Calls ``function`` with tensors (``eager``) or arrays; it returns values of the given ``types``. When it is "
    "``followed``, another output is what gradients need."))  # fmt: skip


def py_function(
    func: Callable[..., Any] | None = None, inp: Sequence[Any] | None = None, Tout: object = None,
    name: str | None = None
) -> Any:  # fmt: skip
    """Call a Python function with eager tensors whenever the graph runs.

    ``Tout`` is the dtype of its result, or a list of dtypes for a list of results (empty for None). The results have
    unknown shapes. Raises what the function raises, and `InvalidArgumentError` when the results do not fit ``Tout``.

    Gradients, of the first order in a graph, go through what the function does with its tensors.

    Without `func`, a decorator, ``@tf.py_function(Tout=tf.float32)``, of a function that is then called with tensors.
    """
    return _called_or_decorator(func, inp, Tout, True, name)


def numpy_function(
    func: Callable[..., Any] | None = None, inp: Sequence[Any] | None = None, Tout: object = None,
    stateful: bool = True, name: str | None = None
) -> Any:  # fmt: skip
    """Call a Python function with NumPy arrays (copies) whenever the graph runs; else as `py_function`.

    It is called in program order and never left out, whatever ``stateful`` says.
    """
    return _called_or_decorator(func, inp, Tout, False, name)


def _called_or_decorator(
    func: Callable[..., Any] | None, inp: Sequence[Any] | None, Tout: object, eager: bool, name: str | None
) -> Any:  # fmt: skip
    what = "py_function" if eager else "numpy_function"
    if Tout is None or (func is not None and inp is None):
        raise InvalidTypeError(
            f"{what} needs {'`Tout`, the dtypes of the results' if Tout is None else '`inp`, a list of the arguments'}",
            remedy=f"write tf.{what}(func, [x], tf.float32), or @tf.{what}(Tout=tf.float32) above the function",
        )
    if func is not None:
        return _call_python(func, inp or (), Tout, eager, name)

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def called(*inputs: Any) -> Any:
            return _call_python(func, inputs, Tout, eager, name or func.__name__)

        return called

    return decorate


def _call_python(func: Callable[..., Any], inp: Sequence[Any], Tout: Any, eager: bool, name: str | None) -> Any:
    several = isinstance(Tout, (list, tuple))
    types = tuple(map(as_dtype, Tout)) if several else (as_dtype(Tout),)
    if eager and trace.current_graph() is None:
        results = _results(func(*map(convert_to_tensor, inp)), types)
    else:
        results = trace.apply(PY_FUNCTION, *inp, name=name, function=func, types=types, eager=eager)
    return list(results) if several else results[0]


# Clocks

TIMESTAMP = op("timestamp", gradient=NOT_DIFFERENTIABLE, infer=lambda: Type(float64, ()), effects=Effects.HOST,
               numpy=lambda: np.float64(time.time()), samples=lambda: [()],
               doc="The seconds since 1970, when the node runs.")  # fmt: skip


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970 as a float64 scalar; in a graph those of each run."""
    return trace.apply(TIMESTAMP, name=name)
