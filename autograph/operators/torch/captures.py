"""A call of a converted function as a recorded program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from autograph.errors import MutationError

from ..functional import tracing
from ..functional.structure import parts_of
from ..staging.heap.locations import where
from ..staging.heap.state import Journal
from . import internals
from .library import TORCH
from .programs import Program, Value, module_of
from .recording import recorded
from .scopes import Scope, Trace


class Recorded:
    """The program, the tensors that it takes, and what the function returns."""

    def __init__(self, module: Value, operands: list[Any], result: Value, outputs: list[Any]) -> None:
        self.module = module
        self.operands = operands
        self.result = result
        self.outputs = outputs

    def run(self, operands: list[Any]) -> Any:
        """Runs the program; returns what the function does."""
        found = self.module(*operands)
        return _rebuilt(self.result, dict(zip(map(id, self.outputs), found, strict=True)))


def record(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any],
    known: dict[int, Any] | None = None,
) -> Recorded:  # fmt: skip
    """Runs a converted function, and records what it calls.

    ``known`` has, by identity, what stands for tensors: those of modules. If it is given, no other tensors that hold
    values may be used, as nobody would see that they change.

    Raises:
        MutationError: it changes an object, other than tensors, that it has not made.
    """
    internals.check()
    journal = _Whole((function,))
    tensors = [each for each in (*arguments, *keywords.values()) if isinstance(each, torch.Tensor)]
    with internals.apart(tensors), recorded(Trace(known)) as found:
        with tracing.opened(TORCH), journal:
            result = function(*arguments, **keywords)
            _check_unchanged(journal)
        outputs: dict[int, Any] = {}
        _collect(result, outputs)
        return _closed(found, result, list(outputs.values()))


class _Whole(Journal):
    outermost = True


def _closed(found: Scope, result: Value, outputs: list[Any]) -> Recorded:
    refs = [found.ref(each) for each in outputs]
    lifted = list(found.lifted.values())
    program = Program([ref for *_, ref in lifted], found.steps, refs)
    return Recorded(module_of(program), [value for value, *_ in lifted], result, outputs)


def _check_unchanged(journal: Journal) -> None:
    for place, *_ in journal.changes().values():
        journal.undo()
        raise MutationError(
            f"`{place.label}` is changed by a function that PyTorch traces: what it compiles would not change it again",
            **where(),
            construct=place.label,
            remedy="return the new value, or hold it in a tensor (a buffer of a module), and change that in place",
        )


def _collect(value: Value, outputs: dict[int, Any]) -> None:
    if isinstance(value, torch.Tensor):
        outputs[id(value)] = value
        return
    found = parts_of(TORCH, value)
    for each in found.parts if found is not None else ():
        _collect(each, outputs)


def _rebuilt(value: Value, tensors: dict[int, Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return tensors[id(value)]
    found = parts_of(TORCH, value)
    if found is None or not found.parts:
        return value
    parts = [_rebuilt(each, tensors) for each in found.parts]
    is_same = all(one is other for one, other in zip(parts, found.parts, strict=True))
    return value if is_same else found.with_parts(parts)
