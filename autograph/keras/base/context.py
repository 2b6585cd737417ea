"""What layers know while they are called: whether this is training, and the masks of tensors.

A mask is a bool tensor (batch, time): False for steps that don't count. It belongs to the very tensor object that a
layer returned; operations on it give tensors without one.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

from autograph.runtime.base import nest
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from .notes import Notes

__all__ = ["calling", "get_mask", "set_mask", "undisturbed"]


class _Local(threading.local):
    def __init__(self) -> None:
        self.training: bool | None = None
        self.call = 0
        self.last = 0


_local = _Local()
_numbers = itertools.count(1)
_masks = Notes()


class calling:
    """The call of a layer: those that it calls are told the same about training, unless they are told otherwise."""

    __slots__ = ("before", "outermost", "training")

    def __init__(self, training: bool | None) -> None:
        self.training = training

    def __enter__(self) -> calling:
        local = _local
        self.before = local.training
        self.outermost = not local.call
        if self.outermost:
            local.call = local.last = next(_numbers)
        local.training = self.training
        trace.LOCAL.ambient = self.training
        return self

    def __exit__(self, *_: object) -> None:
        local = _local
        local.training = self.before
        trace.LOCAL.ambient = self.before
        if self.outermost:
            local.call = 0


class undisturbed:
    """A trace on placeholders, which is told nothing about training, and which gradient tapes do not see."""

    def __enter__(self) -> None:
        self._before = _local.training, _local.call, trace.LOCAL.ambient, trace.LOCAL.tapes
        _local.training, _local.call, trace.LOCAL.ambient, trace.LOCAL.tapes = None, next(_numbers), None, ()

    def __exit__(self, *_: object) -> None:
        _local.training, _local.call, trace.LOCAL.ambient, trace.LOCAL.tapes = self._before


def current_training() -> bool | None:
    """What the layer around this one was told about training; None when there is none, or it was told nothing."""
    return _local.training


def call_number() -> int:
    """The number of the outermost call of a layer that is going on, or of the last one there was."""
    return _local.call or _local.last


def set_mask(tensor: object, mask: object) -> None:
    """Give a tensor a mask."""
    if mask is None and get_mask(tensor) is None:
        return
    _masks.set(tensor, mask)


def get_mask(tensor: object) -> Any:
    """The mask of a tensor, None when it has none."""
    return _masks.get(tensor)


def masks_of(structure: object) -> Any:
    """The masks of a structure of tensors in the same structure; None when there are none at all."""
    if isinstance(structure, Tensor):
        return get_mask(structure)
    masks = [get_mask(leaf) for leaf in nest.flatten(structure)]
    if all(mask is None for mask in masks):
        return None
    return nest.pack_sequence_as(structure, masks)


def is_readable(tensor: object) -> bool:
    """Whether a tensor may be used here: an eager one, or one of the graph that is being built, or of one around it."""
    if not isinstance(tensor, SymbolicTensor):
        return True
    graph = trace.current_graph()
    while graph is not None:
        if tensor.graph is graph:
            return True
        graph = graph.parent
    return False
