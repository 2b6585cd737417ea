"""Calls like one before: Python made for one kind of arguments, which checks that they are of it, and runs the plan.

To bind arguments to parameters, to look into structures, to make a key and to look it up takes longer than a small
graph. For arguments that come again there is a function like this one, of ``f(x, training)``:

    def call(args, kwargs):
        if len(args) != 2 or kwargs: return MISS
        value = args[0]
        if value.__class__ is not EagerTensor: return MISS
        array = value.array
        if array.dtype is not const or array.shape != (3,): return MISS
        value_1 = args[1]
        if value_1 is not True: return MISS
        result = run(array)
        tensor = new(EagerTensor)
        tensor.array = result[0]
        return tensor

It is stricter than the key of the arguments (see `arguments.key_of`), never less strict: what it does not take
goes the long way. It serves calls outside of traces, without tapes or anything else that watches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import nest
from ..base.dtypes import string, variant
from ..tensors.convert import wrap
from ..tensors.tensor import EagerTensor, SymbolicTensor
from . import call_state
from .arguments import ObjectReference, Parameters
from .guards import same_values

if TYPE_CHECKING:
    from .concrete import ConcreteFunction
    from .traces import Traces

__all__ = ["MISS", "FastCalls"]

MISS: Any = object()
"""What a call returns that is of another kind."""
_KNOWN = 256  # kinds of arguments that are remembered for each function
_NUMBERS = frozenset("biufc")


def _nothing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return MISS


class FastCalls:
    """The quick way for calls of one function like the last one; ``call(args, kwargs)`` is its value or `MISS`."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew: traces may have gone."""
        self.call: Callable[[tuple[Any, ...], dict[str, Any]], Any] = _nothing
        self._calls: dict[Any, Callable[..., Any] | None] = {}
        self._counts: dict[Any, int] = {}

    def note(self, traces: Traces, key: object, args: tuple[Any, ...], kwargs: dict[str, Any],
             tensors: Sequence[Any], concrete: ConcreteFunction) -> Callable[..., Any] | None:  # fmt: skip
        """A call has gone the long way. When its like has come more often than it has tensors, make a quick way."""
        kind = (key, len(args), *kwargs) if kwargs else (key, len(args))
        known = self._calls.get(kind, MISS)
        if known is not MISS:
            if known is not None:
                self.call = known
            return known
        count = self._counts.get(kind, 0)
        if count <= len(tensors):
            if len(self._counts) >= _KNOWN:
                self._counts.clear()
            self._counts[kind] = count + 1
            return None
        if len(self._calls) >= _KNOWN:
            self._calls.clear()
        try:
            if concrete.is_placed:
                raise _Unfit
            made = _Writer(traces, key, args, kwargs, concrete).made(len(tensors))
        except _Unfit:
            self._calls[kind] = None
        else:
            self._calls[kind] = self.call = made
        return None


class _Unfit(Exception):
    """There is no quick way for such arguments."""


class _Name:
    """Stands for an argument while it is bound: the expression that gives it."""

    def __init__(self, text: str) -> None:
        self.text = text


class _Writer:
    """Writes the function for one call."""

    def __init__(self, traces: Traces, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                 concrete: ConcreteFunction) -> None:  # fmt: skip
        self._lines: list[str] = []
        self._arrays: list[str] = []
        self._globals: dict[str, Any] = {
            "MISS": MISS, "EagerTensor": EagerTensor, "asarray": np.asarray, "copied": np.array, "ndarray": np.ndarray,
            "new": object.__new__, "packed": concrete.packed, "run": concrete.plan.run, "wrap": wrap,
        }  # fmt: skip
        self._concrete = concrete
        self._count = 0
        self._write_form(args, kwargs)
        parameters: Parameters = traces.parameters
        values = parameters.bind(args, kwargs)
        names = parameters.bind(
            tuple([_Name(f"args[{i}]") for i in range(len(args))]),
            {name: _Name(f"kwargs[{name!r}]") for name in kwargs},
        )
        count = len(values)
        for name, value, part in zip(names, values, key[:count], strict=True):
            self._parameter(name, value, part)
        if traces.frozen:
            if traces.key_of_call(key[:count], None) != key:
                raise _Unfit
            for same in same_values(traces.frozen.values()):
                self._line(f"if not {self._constant(same)}(): return MISS")

    def made(self, count: int) -> Callable[..., Any]:
        """The function, which has to find ``count`` tensors in its arguments."""
        if len(self._arrays) != count:
            raise _Unfit
        state = self._concrete.state
        if state:
            self._globals["read_state"] = lambda: [tensor.array for tensor in call_state.read(state)]
            self._globals["write_state"] = lambda arrays: call_state.write(state, [wrap(array) for array in arrays])
            self._arrays.append("*read_state()")
        self._line(f"result = run({', '.join(self._arrays)})")
        if any(place.writes for place in state):
            self._line(f"write_state(result[{self._concrete.result_count}:])")
        self._write_result()
        text = "\n    ".join(["def call(args, kwargs):", *self._lines])
        exec(compile(text, "<autograph call>", "exec"), self._globals)
        return self._globals["call"]

    def _line(self, text: str) -> None:
        self._lines.append(text)

    def _fresh(self, base: str) -> str:
        self._count += 1
        return f"{base}_{self._count}"

    def _constant(self, value: object) -> str:
        name = self._fresh("const")
        self._globals[name] = value
        return name

    # Arguments

    def _write_form(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        others = f"list(kwargs) != {list(kwargs)!r}" if kwargs else "kwargs"
        self._line(f"if len(args) != {len(args)} or {others}: return MISS")

    def _parameter(self, name: str, value: object, key: object) -> None:
        if isinstance(name, _Name):
            self._guard(name.text, value, key)
        elif isinstance(name, tuple) and any(isinstance(each, _Name) for each in name):  # *args
            for each, item, part in zip(name, value, key[1:], strict=True):
                self._guard(each.text, item, part)
        elif isinstance(name, dict) and any(isinstance(each, _Name) for each in name.values()):  # **kwargs
            for (keyword, item), (_, part) in zip(nest.children(value), key[2:], strict=True):
                self._guard(name[keyword].text, item, part)
        else:
            self._guard(self._constant(value), value, key)

    def _guard(self, text: str, value: Any, key: object) -> None:
        """Lines that return `MISS` unless the expression's value is of the same kind; see `key_of`."""
        name = self._fresh("value")
        self._line(f"{name} = {text}")
        kind = type(value)
        if kind is EagerTensor:
            self._tensor(name, value)
        elif (kind is np.ndarray and value.dtype.kind in _NUMBERS) or isinstance(value, np.generic):
            self._array(name, value)
        elif value is None or value is Ellipsis or kind is bool:
            self._line(f"if {name} is not {value!r}: return MISS")
        elif kind in (int, str, bytes) or (kind is float and value):  # not 0.0, which equals -0.0
            self._line(f"if {name}.__class__ is not {kind.__name__} or {name} != {self._constant(value)}: return MISS")
        elif type(key) is ObjectReference:
            self._line(f"if {name} is not {self._constant(key.get)}(): return MISS")
        else:
            self._structure(name, value, key)

    def _tensor(self, name: str, value: EagerTensor) -> None:
        array = value.array
        if type(array) is not np.ndarray:
            raise _Unfit
        found = self._fresh("array")
        self._line(f"if {name}.__class__ is not EagerTensor: return MISS")
        self._line(f"{found} = {name}.array")
        dtype = self._constant(array.dtype)
        self._line(f"if {found}.dtype is not {dtype} or {found}.shape != {array.shape!r}: return MISS")
        self._arrays.append(found)

    def _array(self, name: str, value: Any) -> None:
        found, kind, dtype = self._fresh("array"), self._constant(type(value)), self._constant(value.dtype)
        self._line(f"if {name}.__class__ is not {kind} or {name}.dtype is not {dtype}: return MISS")
        self._line(f"{found} = copied({name})")
        self._line(f"if {found}.shape != {value.shape!r}: return MISS")
        self._arrays.append(found)

    def _structure(self, name: str, value: Any, key: Any) -> None:
        kind = type(value)
        if kind is dict and all(type(each) is str for each in value):
            self._line(f"if {name}.__class__ is not dict or list({name}) != {list(value)!r}: return MISS")
            for (item, child), (_, part) in zip(nest.children(value), key[2:], strict=True):
                self._guard(f"{name}[{item!r}]", child, part)
        elif kind in (list, tuple) or _is_named_tuple(kind):
            self._line(f"if {name}.__class__ is not {self._constant(kind)} or len({name}) != {len(value)}: return MISS")
            for i, (child, part) in enumerate(zip(value, key[1:], strict=True)):
                self._guard(f"{name}[{i}]", child, part)
        else:
            raise _Unfit

    # The result

    def _write_result(self) -> None:
        outputs, optional = self._concrete.structured_outputs, self._concrete.has_optional_outputs
        names = [self._wrapped(i) for i in range(self._concrete.result_count)]
        try:
            text = "" if optional else self._packed(outputs, iter(names))
        except _Unfit:
            text = ""
        self._line(f"return {text or 'packed([' + ', '.join(names) + '])'}")

    def _wrapped(self, i: int) -> str:
        name = self._fresh("tensor")
        type = self._concrete.graph.outputs[i].type
        if type.dtype is string or type.dtype is variant:
            self._line(f"{name} = wrap(result[{i}])")
            return name
        self._line(f"{name} = new(EagerTensor)")
        if i in self._concrete.handed_on:
            sources = self._concrete.handed_on[i]
            is_ndarray = "array.__class__ is ndarray"
            self._line(f"array = result[{i}]")
            if sources is None or max(sources) >= len(self._arrays) - bool(self._concrete.state):
                self._line(f"{name}.array = array.view() if {is_ndarray} else asarray(array)")
            else:
                is_given = " or ".join(f"array is {self._arrays[source]}" for source in sources)
                self._line(f"{name}.array = array.view() if {is_given} else array if {is_ndarray} else asarray(array)")
        elif type.shape == ():
            self._line(f"{name}.array = asarray(result[{i}])")
        else:
            self._line(f"array = result[{i}]")
            self._line(f"{name}.array = array if array.__class__ is ndarray else asarray(array)")
        return name

    def _packed(self, value: Any, names: Iterator[str]) -> str:
        """An expression for a structure like the one that the traced function returned, in the order of `nest`."""
        kind = type(value)
        if value is None:
            return "None"
        if kind is SymbolicTensor:
            return next(names)
        if kind is dict:
            parts = {key: self._packed(child, names) for key, child in nest.children(value)}
            return "{" + ", ".join(f"{self._constant(key)}: {parts[key]}" for key in value) + "}"
        if kind not in (list, tuple) and not _is_named_tuple(kind):
            raise _Unfit
        inner = "".join(f"{self._packed(child, names)}, " for child in value)
        return f"[{inner}]" if kind is list else f"({inner})" if kind is tuple else f"{self._constant(kind)}({inner})"


def _is_named_tuple(kind: type) -> bool:
    """Whether a type is that of named tuples without methods of their own for their items."""
    if not issubclass(kind, tuple) or not hasattr(kind, "_fields"):
        return False
    return all(getattr(kind, name) is getattr(tuple, name) for name in ("__getitem__", "__iter__", "__len__"))
