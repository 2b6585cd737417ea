"""How functions of a model of TensorFlow's are called: one of their traces fits the arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

import autograph as tf
from autograph.errors import AutographError, InvalidTypeError, SavedFileError, UnimplementedError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import string
from autograph.runtime.functions.concrete import ConcreteFunction
from autograph.runtime.tensors.convert import as_tensor
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.tensor import Tensor

from .functions import Library

__all__ = ["DAMAGE", "Absent", "ReadFunction", "Trace"]

DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What files that are damaged lead to."""


class Trace:
    """A function of the graph, with what it is given besides the arguments, and structures of `TensorSpec`."""

    def __init__(self, library: Library, name: str, bound: Sequence[Any], inputs: Any, outputs: Any) -> None:
        self.name, self.inputs, self.outputs = name, inputs, outputs
        self._library, self._bound = library, bound

    @cached_property
    def refusal(self) -> str | None:
        """Why it can't run; None where it can."""
        without = [each for each in self._bound if isinstance(each, Absent)]
        missing = self._library.missing(self.name)
        lines = [f"{kind} ({where})" for kind, where in sorted(missing.items())]
        lines += [f"{each.what}" for each in without]
        if not lines:
            return None
        return f"{self.name} has what is not read of TensorFlow: " + ", ".join(lines)

    @cached_property
    def concrete(self) -> ConcreteFunction:
        """The trace as one of ours, of all tensors among the arguments, flat. Raises `UnimplementedError`."""
        if self.refusal is not None:
            raise UnimplementedError(self.refusal, remedy="write that part of the model anew, or run it in TensorFlow")
        specs = [leaf for leaf in nest.flatten(self.inputs) if isinstance(leaf, TensorSpec)]

        def run(*tensors: Any) -> Any:
            return self._library.call(self.name, [*tensors, *self._bound])

        run.__name__ = self.name
        unnamed = [TensorSpec(each.shape, each.dtype) for each in specs]
        traced: Any = tf.function(run, input_signature=unnamed, autograph=False)
        try:
            found: ConcreteFunction = traced.get_concrete_function()
        except AutographError:
            raise
        except DAMAGE as error:
            text = f"{type(error).__name__}: {error}"
            raise SavedFileError(f"the graph of {self.name} is damaged: {text}") from None
        return found

    def tensors_of(self, given: Any) -> list[Any] | None:
        """The tensors among arguments, if they are such as it has been traced for."""
        found: list[Any] = []
        return found if _fits(self.inputs, given, found) else None

    def __call__(self, tensors: Sequence[Any]) -> Any:
        """The results for tensors, in their structure."""
        results = iter(self.concrete(*tensors))
        return nest.map_structure(lambda leaf: next(results) if isinstance(leaf, TensorSpec) else leaf, self.outputs)


class Absent:
    """Stands for something that functions are bound to, which is not read."""

    def __init__(self, what: str) -> None:
        self.what = what


def _fits(expected: Any, given: Any, found: list[Any]) -> bool:
    if isinstance(expected, TensorSpec):
        return _takes(expected, given, found)
    if isinstance(expected, Mapping):
        same = isinstance(given, Mapping) and given.keys() == expected.keys()
        return same and all(_fits(expected[key], given[key], found) for key in sorted(expected))
    if isinstance(expected, (list, tuple)):
        same = isinstance(given, (list, tuple)) and len(given) == len(expected)
        return same and all(map(_fits, expected, given, [found] * len(expected)))
    return not isinstance(given, Tensor) and type(given) is type(expected) and bool(given == expected)


def _takes(spec: TensorSpec, given: Any, found: list[Any]) -> bool:
    if given is None or isinstance(given, Mapping) or (isinstance(given, str) and spec.dtype is not string):
        return False
    try:
        has_dtype = isinstance(given, (Tensor, np.ndarray, np.generic))
        tensor = as_tensor(given) if has_dtype else as_tensor(given, spec.dtype)
    except (TypeError, ValueError):
        return False
    found.append(tensor)
    return bool(tensor.dtype == spec.dtype and spec.shape.is_compatible_with(tensor.shape))


class ReadFunction:
    """A function of a model that TensorFlow has written: it runs the trace that fits the arguments.

    ``traces``: all that there are. ``names``: its parameters, and ``defaults`` of the last of them; None: it takes
    arguments by name alone, as signatures do.
    """

    def __init__(
        self, name: str, traces: Sequence[Trace], names: Sequence[str] | None, defaults: Mapping[str, Any]
    ) -> None:
        self.__name__, self.traces, self._names, self._defaults = name, traces, names, defaults

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        trace, tensors = self._chosen(args, kwargs)
        return trace(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The only trace, or the one for arguments, as a concrete function of the tensors among them, flat."""
        if not args and not kwargs and len(self.traces) == 1:
            return self.traces[0].concrete
        return self._chosen(args, kwargs)[0].concrete

    def _chosen(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Trace, list[Any]]:
        given = self._bound(args, kwargs)
        for trace in self.traces:
            tensors = trace.tensors_of(given)
            if tensors is not None:
                return trace, tensors
        shown = "\n".join(f"  {trace.inputs}" for trace in self.traces)
        raise InvalidTypeError(
            f"{self.__name__}() of the loaded model has no trace for {given}; it has traces for\n{shown}",
            remedy="pass tensors of these dtypes and shapes, and the same values of Python",
        )

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments as TensorFlow has them: all parameters in order, with their defaults; the others by name."""
        if self._names is None:
            return tuple(args), dict(kwargs)
        rest, values = dict(kwargs), list(args)
        for name in self._names[len(args) :]:
            if name in rest:
                values.append(rest.pop(name))
            elif name in self._defaults:
                values.append(self._defaults[name])
            else:
                break
        more = {name: value for name, value in self._defaults.items() if name not in self._names and name not in rest}
        return tuple(values), {**rest, **more}

    def __repr__(self) -> str:
        return f"<function {self.__name__} of a model of TensorFlow's, {len(self.traces)} traces>"
