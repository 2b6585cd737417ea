"""PyTorch as a library that traces functions: its tensors and their types, recorded programs, and its operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from autograph.errors import StagedValueError

from ..functional.library import Array, Arrays, Library, State, Traced
from ..functional.structure import NUMBERS
from ..staging.heap.locations import where
from . import operators
from .programs import Program
from .reading import kind_of, number
from .recording import inner, scope
from .scopes import Scope, Spec, is_one, spec_of

_DTYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
_KINDS = (bool, int, float, complex)


class TracedByTorch(Traced):
    """A body as a recorded program."""

    def __init__(self, library: TorchLibrary, found: Scope, inputs: list[Any], leaves: list[Any]) -> None:
        self._leaves = leaves
        tensors = [each for each in leaves if isinstance(each, torch.Tensor)]
        outputs = [found.ref(each) for each in tensors]  # which lifts what is left as it is
        self._own = {id(each) for each in tensors if found.here(each) is each}
        self._lifted = [value for value, *_ in found.lifted.values()]
        refs = [*map(found.ref, inputs), *(ref for *_, ref in found.lifted.values())]
        self._program = Program(refs, found.steps, outputs)
        self._effects = found.effects or bool(found.changed)
        self._is_cheap = found.is_cheap and not self._effects
        with inner(found):
            self.types = [library.type_of(each) for each in leaves]

    def run(self, inputs: Iterable[Any]) -> Arrays:
        found = iter(scope().replay(self._program, (*inputs, *self._lifted)))
        return [next(found) if isinstance(each, torch.Tensor) else each for each in self._leaves]

    def is_older(self, leaf: object) -> bool:
        return not isinstance(leaf, torch.Tensor) or id(leaf) not in self._own

    def has_effects(self) -> bool:
        return self._effects

    def is_cheap(self) -> bool:
        return self._is_cheap


class TorchLibrary(Library):
    """What PyTorch answers."""

    name = "PyTorch"
    pad = "pad them to one shape, or begin with a tensor of that shape (torch.zeros_like)"
    cast = "convert one of them: x.to(y.dtype)"

    # Values.

    def is_array(self, value: object) -> bool:
        return isinstance(value, torch.Tensor)

    def is_leaf(self, value: object) -> bool:
        return type(value) in NUMBERS or isinstance(value, (torch.Tensor, torch.SymInt))

    def flattened(self, value: object) -> tuple[list[Any], Any] | None:
        parts, tree = pytree.tree_flatten(value, is_leaf=lambda each: each is not value)
        return None if len(parts) == 1 and parts[0] is value else (parts, _Tree(tree))

    def concrete(self, value: Array) -> bool | None:
        if not isinstance(value, torch.Tensor) or not self.local.calls:
            return bool(value)
        _check_is_one(self.type_of(value))
        return None

    def truth(self, value: Array) -> Any:
        here = scope()
        if not isinstance(value, torch.Tensor):
            return here.call(torch.full, (), bool(value), dtype=torch.bool)
        kind = self.type_of(value)
        _check_is_one(kind)
        scalar = here.call(torch.Tensor.reshape, value, ()) if kind.shape else value
        return scalar if kind.dtype == torch.bool else here.call(torch.ne, scalar, 0)

    def as_array(self, value: object) -> Any:
        return value if isinstance(value, torch.Tensor) else self.as_type(value, self.type_of(value))

    def negated(self, value: Array) -> Any:
        return scope().trace.number(scope().call(torch.logical_not, value), bool)

    def decision(self, test: Array, is_true: bool) -> Array:
        return number(scope(), test, bool) if is_true else self.negated(test)

    def both(self, one: Array, other: Array) -> Any:
        return self._of_bools(torch.logical_and, one, other)

    def either(self, one: Array, other: Array) -> Any:
        return self._of_bools(torch.logical_or, one, other)

    def _of_bools(self, operate: Callable[..., Any], one: Array, other: Array) -> Array:
        arrays = self.as_array(one), self.as_array(other)
        kinds = [scope().trace.kind(each) for each in arrays]
        return scope().trace.number(scope().call(operate, *arrays), kinds[0] and kinds[1])

    def is_bool(self, kind: Spec) -> bool:
        return kind.dtype == torch.bool and kind.shape == ()

    # Types.

    def type_of(self, leaf: Array) -> Spec:
        if not isinstance(leaf, torch.Tensor):
            kind = int if isinstance(leaf, torch.SymInt) else type(leaf)
            return Spec((), _DTYPES[kind], torch.device("cpu"), kind)
        return replace(spec_of(scope().here(leaf)), number=scope().trace.kind(leaf))

    def is_same_type(self, one: Spec, other: Spec) -> bool:
        return one == other

    def shape(self, kind: Spec) -> tuple[Any, ...]:
        return kind.shape

    def joined(self, one: Spec, other: Spec) -> Any:
        has_gradient = one.has_gradient or other.has_gradient
        if one.number is not None and other.number is not None:
            kind = max(one.number, other.number, key=_KINDS.index)
            return Spec((), _DTYPES[kind], one.device, kind, has_gradient)
        if one.number is None and other.number is None:
            if one.dtype != other.dtype:
                return str(one.dtype), str(other.dtype)
            if one.device != other.device:
                return f"{one.dtype} on {one.device}", f"{other.dtype} on {other.device}"
            return Spec(one.shape, one.dtype, one.device, None, has_gradient)
        tensor, python = (one, other) if one.number is None else (other, one)
        kind = python.number or int
        if _KINDS.index(kind) > _KINDS.index(kind_of(tensor.dtype)):
            found = f"{tensor.dtype}", f"a number of Python's ({kind.__name__})"
            return found if one is tensor else found[::-1]
        return Spec(tensor.shape, tensor.dtype, tensor.device, None, has_gradient)

    def can_hold(self, number: int, kind: Spec) -> bool:
        try:
            return bool(int(np.asarray(number).astype(str(kind.dtype).removeprefix("torch."))) == number)
        except (OverflowError, ValueError):
            return False
        except TypeError:  # a dtype that NumPy lacks, such as bfloat16
            return abs(number) <= 16

    def described_type(self, kind: Spec) -> str:
        return str(kind.dtype)

    def as_type(self, value: Array, kind: Spec) -> Any:
        here, trace = scope(), scope().trace
        if not isinstance(value, torch.Tensor):
            made = here.call(torch.full, kind.shape, value, dtype=kind.dtype, device=kind.device)
            trace.fresh[id(made)] = made
            return trace.number(made, kind.number)
        if self.type_of(value).dtype == kind.dtype:
            return trace.number(value, kind.number)
        if trace.kind(value) is not None:
            made = here.call(torch.Tensor.to, value, kind.device, kind.dtype)
        else:
            made = number(here, value, kind.number or kind_of(kind.dtype))
        trace.fresh[id(made)] = made
        return trace.number(made, kind.number)

    def zeros(self, kind: Spec) -> Any:
        made = scope().call(torch.zeros, kind.shape, dtype=kind.dtype, device=kind.device)
        scope().trace.fresh[id(made)] = made
        return scope().trace.number(made, kind.number)

    def index_type(self, like: object) -> Spec:
        return Spec((), torch.int64, torch.device("cpu"), int)

    def first_turn(self, like: Array) -> Any:
        return self.as_type(0, self.index_type(like))

    def item_type(self, values: Array) -> Spec:
        found = self.type_of(values)
        return replace(found, shape=found.shape[1:], number=None, is_row=True)

    # Tracing.

    def trace(self, function: Callable[..., Arrays], types: Iterable[Spec]) -> TracedByTorch:
        found = Scope(scope().trace, scope())
        with inner(found):
            inputs = [operators.input_of(found, each) for each in types]
            leaves = function(*inputs)
        return TracedByTorch(self, found, inputs, leaves)

    def cond(self, test: Array, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        return operators.cond(self, test, body, orelse)

    def while_loop(self, condition: Callable[[Any], Any], turn: Callable[[Any], Any], state: State) -> Any:
        return operators.while_loop(self, condition, turn, state)

    def counted_loop(self, turns: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        index = self.as_type(0, self.index_type(turns))

        def condition(carry: State) -> Any:
            return scope().call(torch.lt, carry[0], turns)

        def step(carry: State) -> Any:
            after = turn(scope().trace.number(carry[0], int), carry[1])
            return scope().call(torch.add, carry[0], 1), after

        return self.while_loop(condition, step, (index, state))[1]

    def loop_over(self, values: Array, turn: Callable[[Any, Any], Any], state: State) -> Any:
        def step(index: Array, carry: State) -> Any:
            here = scope()
            return turn(carry, here.call(torch.ops.aten.index.Tensor, values, [index]))

        return self.counted_loop(self.type_of(values).shape[0], step, state)


class _Tree:
    """What makes a registered container of parts; two of one structure are equal."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tree) and bool(self._tree == other._tree)

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, parts: list[Any]) -> Any:
        return pytree.tree_unflatten(parts, self._tree)


def _check_is_one(kind: Spec) -> None:
    if not is_one(kind):
        raise StagedValueError(
            f"the truth of a tensor of shape {kind.shape} is not one value",
            **where(),
            construct="if",
            remedy="say which is meant: x.any() or x.all(); `torch.where` chooses value by value",
        )


TORCH = TorchLibrary()
