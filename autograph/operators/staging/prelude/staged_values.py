"""Whether a value is staged, so that the run alone knows it."""

from __future__ import annotations

from typing import Any

from autograph.runtime.tensors.tensor import SymbolicTensor

from ..heap import heap
from ..values.iterables import StagedIterable
from ..values.lists import StagedList
from ..values.maybe import Maybe
from ..values.truths import Truth

_STAGED = (SymbolicTensor, Maybe, StagedList, StagedIterable, Truth)


def is_staged(*values: object) -> bool:
    """Whether one of some values is staged; an eager tensor is a value that Python can look at."""
    return any(isinstance(heap.staged(value), _STAGED) for value in values)


def has_staged(values: object) -> bool:
    """Whether a value is staged, or a list or tuple that holds a staged one."""
    return is_staged(values) or (isinstance(values, (list, tuple, set)) and any(map(has_staged, values)))


def unwrapped(value: object) -> Any:
    return heap.staged(value.ag__checked() if isinstance(value, Maybe) else value)
