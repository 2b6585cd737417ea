"""Plain values of the types that staged ones stand for, to ask Python what it says of an operation."""

from __future__ import annotations

import math
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

import numpy as np

from autograph.runtime.base import dtypes
from autograph.runtime.base.dtypes import DType
from autograph.runtime.base.shapes import is_fully_defined
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor

from ...data_model.special_methods import mro
from ..heap import heap
from ..values.dicts import StagedDict
from ..values.lists import StagedList, kind_of
from . import origins

_PLAIN = frozenset((int, float, bool, complex, str, bytes, NoneType, type, FunctionType, BuiltinFunctionType))
_TYPES = (int, float, complex, str, list, dict, set)
_OPERATING = frozenset(name for each in _TYPES for name in vars(each) if name.startswith("__")).difference(vars(object))
_OF_OTHERS = frozenset(("__call__", "__array__", "__array_interface__", "__array_struct__", "__array_ufunc__",
                        "__tensor__"))  # fmt: skip
"""The methods by which objects take part in operations."""
_COMPARING = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")
_MOST = 1000
"""The most elements of all that is made for one operation."""

DTYPES = (None, dtypes.bool_, dtypes.int32, dtypes.float32, dtypes.complex64)
"""What is tried in place of a dtype which others may have been promoted to."""


class NoSample(Exception):
    """There is no telling what stands for an operand, or asking would run code of the user's."""


class Sampler:
    """Makes plain values: copies of containers, numbers for staged scalars, and arrays for other tensors.

    With ``eager``, tensors become eager tensors unless they stand for a number of Python's; with ``bare``, an object
    whose class has none of the methods of operators becomes one of class `object`. Code of the user's does not run.
    """

    def __init__(self, eager: bool, dtype: DType | None, bare: bool) -> None:
        self._eager = eager
        self._dtype = dtype
        self._bare = bare
        self._left = _MOST
        self.is_sure = True
        """Whether all tensors so far have the dtype that they have in each run."""

    def __call__(self, operand: Any) -> Any:
        self._take(1)
        kind = type(operand)
        if isinstance(operand, SymbolicTensor):
            return self._tensor(operand)
        form = heap.staged(operand) if heap.has_form(operand) else operand
        if isinstance(form, (StagedList, StagedDict)):
            return {} if isinstance(form, StagedDict) else kind_of(form)()
        if kind in (list, tuple, set, frozenset):
            return kind(map(self, operand))
        if kind is dict:
            return {self(key): self(value) for key, value in operand.items()}
        if kind is slice:
            return slice(*map(self, (operand.start, operand.stop, operand.step)))
        if kind in _PLAIN and (kind is not type or operand.__module__ == "builtins"):
            return operand
        if self._bare and _is_bare(kind):
            return object()
        raise NoSample

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise NoSample

    def _tensor(self, operand: SymbolicTensor) -> Any:
        if operand.python in (int, float, bool, complex, str):
            return operand.python(1)
        if not is_fully_defined(operand.static_shape):
            raise NoSample
        shape = [size or 0 for size in operand.static_shape or ()]
        self._take(math.prod(shape))
        if operand.dtype is dtypes.string:
            dtype, array = operand.dtype, np.full(shape, "1", np.object_)
        else:
            sure = self._dtype is None or origins.is_sure(operand)
            self.is_sure = self.is_sure and origins.is_sure(operand)
            dtype = operand.dtype if sure or self._dtype is None else self._dtype
            array = np.ones(shape, dtype.numpy)
        if self._eager:
            return EagerTensor(np.asarray(array, dtype.numpy))
        return array if shape else array.item()


def _is_bare(cls: type) -> bool:
    """Whether instances of a class do what instances of `object` do, in all operations."""
    if cls.__module__.partition(".")[0] in ("autograph", "numpy") or issubclass(cls, type):
        return False
    defined = {name for each in mro(cls)[:-1] for name in vars(each)}
    if not (_OPERATING | _OF_OTHERS).isdisjoint(defined):
        return False
    return all(getattr(cls, name) is getattr(object, name) for name in _COMPARING)
