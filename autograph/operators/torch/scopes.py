"""The recording of one body: which tensors it uses from outside, what it calls, and which tensors it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from autograph.errors import MutationError, StagingError, UnimplementedError

from ..staging.heap.locations import where
from . import internals
from .programs import Branches, Call, Program, Ref, Repeated, Step, Value, at, mapped, tensors_in

Number = type


@dataclass(frozen=True)
class Spec:
    """The type of a tensor; ``number`` is Python's type, where it stands for one of its numbers."""

    shape: tuple[Any, ...]
    dtype: torch.dtype
    device: torch.device
    number: Number | None = None
    has_gradient: bool = False
    is_row: bool = False
    """Whether it stands for a part of another tensor, which would see its changes."""


def spec_of(tensor: torch.Tensor) -> Spec:
    """The type of a tensor, asked for so that no mode sees it."""
    with internals.untouched():
        return Spec(tuple(tensor.size()), tensor.dtype, tensor.device, None, tensor.requires_grad)


def is_one(kind: Spec) -> bool:
    """Whether the tensors of a type have one value."""
    return all(each == 1 for each in kind.shape)


_EFFECTS = frozenset(
    (torch._C._set_grad_enabled, torch._assert_async, torch.Tensor.requires_grad_, torch.Tensor.retain_grad)
)


class Trace:
    """What all scopes of one recording share."""

    def __init__(self, known: dict[int, Any] | None = None) -> None:
        self.known = known
        """What stands for tensors of modules, by identity; None: tensors from anywhere are constants."""
        self.shown: dict[int, Any] = {}
        """The tensors of modules, by the identity of what stands for them."""
        self.numbers: dict[int, tuple[torch.Tensor, Number]] = {}
        """Tensors that stand for numbers of Python's."""
        self.sealed: dict[int, tuple[torch.Tensor, str]] = {}
        """Memory that may have two names in a run, and one in another."""
        self.parts: set[int] = set()
        """The identities of tensors, kept in `made`, that are copies of parts of others."""
        self.fresh: dict[int, torch.Tensor] = {}
        """Tensors that a conversion has made, which nothing else holds."""
        self.made: dict[int, torch.Tensor] = {}
        """All that PyTorch's operators have made."""

    def number(self, tensor: torch.Tensor, kind: Number | None) -> torch.Tensor:
        """Notes that a tensor stands for a number of Python's; returns it."""
        if kind is not None:
            self.numbers[id(tensor)] = tensor, kind
        return tensor

    def kind(self, value: object) -> Number | None:
        """The type of number that a tensor stands for; None for all others."""
        found = self.numbers.get(id(value))
        return None if found is None else found[1]


class Scope:
    """One body, while it is being recorded."""

    def __init__(self, trace: Trace, parent: Scope | None) -> None:
        self.trace = trace
        self.parent = parent
        self.steps: list[Step] = []
        self.lifted: dict[int, tuple[Any, Any, Ref]] = {}
        """Tensors from outside that the body uses: each with the one that stands for it here."""
        self.changed: dict[int, torch.Tensor] = {}
        """What stands for tensors from outside, and inputs, which the body has changed in place."""
        self.effects = False
        self.is_cheap = True
        self._refs: dict[int, tuple[Any, Ref]] = {}
        self._outer: dict[int, Any] = {}
        self.bases: list[torch.Tensor] = []
        """Inputs, and what stands for tensors from outside: the memory that is older than the body."""

    # Tensors.

    def knows(self, tensor: object) -> bool:
        """Whether a tensor is made in the body, or an input of it."""
        return id(tensor) in self._refs

    def add_input(self, tensor: torch.Tensor) -> Ref:
        """Notes an input of the body."""
        self._refs[id(tensor)] = tensor, Ref()
        self.bases.append(tensor)
        return self._refs[id(tensor)][1]

    def here(self, value: Value) -> Any:
        """What stands for a tensor in the body: itself, if the body has made it."""
        if not isinstance(value, torch.Tensor) or id(value) in self._refs:
            return value
        value = self._known(value)
        found = self.lifted.get(id(value))
        return self._lift(value) if found is None else found[1]

    def _known(self, value: Value) -> Any:
        """What stands for a tensor of a module."""
        found = self.trace.known.get(id(value)) if self.trace.known else None
        if found is None:
            return value
        self.trace.shown[id(found)] = value
        return found

    def stand_in(self, value: torch.Tensor, placeholder: torch.Tensor) -> None:
        """Has an input of the body stand for a tensor from outside."""
        ref = self._refs[id(placeholder)][1]
        value = self._known(value)
        self.lifted[id(value)] = value, placeholder, ref
        self._outer[id(placeholder)] = self.trace.shown.get(id(value), value)

    def _lift(self, value: torch.Tensor) -> torch.Tensor:
        if self.parent is not None and not self.parent.knows(value):
            self.parent.here(value)
        if self.parent is None:
            self._check_outer(value)
        placeholder = like(value if self.parent is None else self.parent.here(value))
        ref = self.add_input(placeholder)
        self.lifted[id(value)] = value, placeholder, ref
        self._outer[id(placeholder)] = self.trace.shown.get(id(value), value)
        return placeholder

    def _check_outer(self, value: torch.Tensor) -> None:
        if id(value) in self.trace.made:
            raise StagingError(
                "a tensor comes from a function of which PyTorch tells nothing, so that it can't be recorded",
                **where(),
                construct="tensor",
                remedy="compute it with functions of torch, before the call, and pass it as an argument",
            )
        if self.trace.known is not None and not internals.is_fake(value):
            raise UnimplementedError(
                f"a tensor of shape {spec_of(value).shape} is used that is neither an argument nor a part of a module "
                "that is one: torch.compile would not see it change, nor give it a gradient",
                **where(),
                construct="tensor",
                remedy="pass it as an argument, or register it as a buffer of the module",
            )
        with internals.untouched():
            layout = value.layout
        if layout != torch.strided or internals.is_transformed(value):
            raise UnimplementedError(
                f"a tensor of layout {layout} or of a transformation of torch.func in converted code",
                **where(),
                construct="tensor",
                remedy="convert it before: x.to_dense(); apply torch.func to what is compiled",
            )

    def ref(self, value: Value) -> Any:
        """The value of the program that a tensor is."""
        if not isinstance(value, torch.Tensor):
            return value
        found = self._refs.get(id(value))
        return self._refs[id(self.here(value))][1] if found is None else found[1]

    def outer(self, value: Value) -> Any:
        """The tensor from outside that another stands for."""
        return self._outer.get(id(value), value)

    # Calls.

    def call(self, function: Callable[..., Any], *arguments: Value, **keywords: Value) -> Any:
        """Calls a function of PyTorch's, and records that."""
        found = mapped((arguments, keywords), self.here)
        used = [each for _, each in tensors_in((found[0], list(found[1].values())))]
        before = [_version(each) for each in used]
        with internals.untouched():
            result = function(*found[0], **found[1])
        changed = [each for each, version in zip(used, before, strict=True) if _version(each) != version]
        changed += _statistics(function, *found)
        for each in changed:
            self._change(each)
        self._record(function, found, result, bool(changed))
        return result if result is None else _replaced(result, self._outer)

    def _record(self, function: Callable[..., Any], found: tuple[Any, Any], result: Value, changes: bool) -> None:
        made = list(tensors_in(result))
        is_effect = function in _EFFECTS
        if not made and not changes and not is_effect:
            return
        self.effects = self.effects or is_effect
        step = Call(function, *mapped(found, self.ref))
        for place, each in made:
            if id(each) not in self._refs:
                self._refs[id(each)] = each, Ref()
                step.results.append((place, self._refs[id(each)][1]))
        self.steps.append(step)

    def _change(self, tensor: torch.Tensor) -> None:
        """Notes that the memory of a tensor has been changed."""
        memory = self.root(tensor)
        sealed = self.trace.sealed.get(memory)
        if sealed is not None:
            raise MutationError(
                f"{sealed[1]} is changed in place: in other runs that would change another tensor, too, or not",
                **where(),
                construct="in-place operation",
                remedy="make a new tensor: x = x + 1, x = x.clone()",
            )
        for each in self.bases:
            if internals.storage_of(each) == internals.storage_of(tensor):
                self.changed[id(each)] = each

    def root(self, tensor: torch.Tensor) -> int:
        """What is the same for two tensors that share memory, also for those from outside."""
        memory = internals.storage_of(tensor)
        for value, placeholder, _ in self.lifted.values():
            if internals.storage_of(placeholder) == memory:
                return self.parent.root(self.parent.here(value)) if self.parent else internals.storage_of(value)
        return memory

    def seal_part(self, tensor: torch.Tensor) -> None:
        """Notes that a tensor is a copy of a part of another, of which eager code would have a view."""
        self.trace.parts.add(id(tensor))
        self.trace.sealed[self.root(tensor)] = tensor, "a part of a tensor, `x[i]` with an `i` that only the run knows,"

    def unseal_part(self, value: object) -> None:
        """Notes that such a copy is about to be changed, and then stored."""
        if id(value) in self.trace.parts and isinstance(value, torch.Tensor):
            self.trace.sealed.pop(self.root(value), None)

    # Branches and loops.

    def add(self, step: Branches | Repeated, results: Iterable[torch.Tensor]) -> None:
        """Records a branch or a loop, with the tensors that stand for its results."""
        self.is_cheap = False
        for number, each in enumerate(results):
            self._refs[id(each)] = each, Ref()
            step.results.append(((number,), self._refs[id(each)][1]))
        self.steps.append(step)

    def replay(self, program: Program, inputs: Iterable[Any]) -> list[Any]:
        """Does here what a program says; returns its outputs. What the program has lifted is among the inputs."""
        values: dict[Any, Any] = dict(zip(program.inputs, inputs, strict=True))

        def value(each: Value) -> Any:
            return values[each] if isinstance(each, Ref) else each

        for step in program.steps:
            if isinstance(step, Call):
                arguments, keywords = mapped((step.arguments, step.keywords), value)
                result = self.call(step.function, *arguments, **keywords)
                values.update((each, at(result, place)) for place, each in step.results)
            else:
                again, made = self._copied(step, value)
                self.add(again, made)
                values.update((each, made[place[0]]) for place, each in step.results)
        return [values[each] for each in program.outputs]

    def _copied(self, step: Branches | Repeated, value: Callable[[Any], Any]) -> tuple[Any, list[torch.Tensor]]:
        operands = [self.ref(self.here(value(each))) for each in step.operands]
        made = [like(each) for each in step.made]
        if isinstance(step, Branches):
            return Branches(self.ref(self.here(value(step.test))), step.parts, operands, made), made
        return Repeated([self.ref(self.here(value(each))) for each in step.state], step.parts, operands, made), made


_RUNNING = {"batch_norm": ("running_mean", "running_var"), "instance_norm": ("running_mean", "running_var")}


def _statistics(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    """Tensors that a function changes in place without saying so: the running statistics of normalisations."""
    names = _RUNNING.get(getattr(function, "__name__", ""))
    if names is None:
        return []
    is_builtin = not hasattr(function, "__code__")  # torch.batch_norm(x, weight, bias, mean, variance, …)
    positional = arguments[3:5] if is_builtin else arguments[1:3]
    return [each for each in (*positional, *map(keywords.get, names)) if isinstance(each, torch.Tensor)]


def _version(tensor: torch.Tensor) -> int:
    with internals.untouched():
        return 0 if tensor.is_inference() else tensor._version


def _replaced(result: Value, outer: dict[int, Any]) -> Any:
    """What a function has returned, with tensors from outside in place of what stands for them."""
    if isinstance(result, torch.Tensor):
        return outer.get(id(result), result)
    if any(id(each) in outer for _, each in tensors_in(result)):
        return mapped(result, lambda each: outer.get(id(each), each))
    return result


def like(value: torch.Tensor) -> torch.Tensor:
    """A new tensor of the type of another, and of its place in memory."""
    with internals.untouched(), torch.enable_grad():
        made = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=value.device)
        if value.requires_grad:
            made.requires_grad_()
            return made if value.is_leaf else made.clone()
        return made


def of_spec(spec: Spec) -> torch.Tensor:
    """A new tensor of a type."""
    with internals.untouched(), torch.enable_grad():
        made = torch.empty(spec.shape, dtype=spec.dtype, device=spec.device)
        return made.requires_grad_().clone() if spec.has_gradient else made
