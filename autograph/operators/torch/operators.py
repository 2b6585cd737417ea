"""Branches and loops as PyTorch's operators take them: outputs that share no memory, and no input that changes.

A tensor from outside that a body changes in place is one more output, and is set to it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import torch
from torch.utils import _pytree as pytree

from autograph.errors import MutationError

from ..functional.library import Array, Library, State
from ..staging.heap.locations import where
from .programs import Branches, Program, Repeated
from .recording import inner, scope
from .scopes import Scope, Spec, of_spec, spec_of

_CHOSEN = "a tensor of which a branch or a loop has chosen one of several"


def input_of(found: Scope, kind: Spec) -> torch.Tensor:
    """An input of a body."""
    made = of_spec(kind)
    found.add_input(made)
    found.trace.number(made, kind.number)
    if kind.is_row:
        found.trace.sealed[found.root(made)] = made, "a row of the tensor of a loop"
    return made


class _Body:
    """A body that has been recorded, and the tensors that it leaves."""

    def __init__(self, found: Scope, outputs: list[Any]) -> None:
        self.scope = found
        self.outputs = outputs

    def changed(self) -> list[Any]:
        """The tensors from outside that it has changed in place."""
        return [value for value, placeholder, _ in self.scope.lifted.values() if id(placeholder) in self.scope.changed]

    def older(self) -> list[tuple[int, Any]]:
        """Which outputs share memory with what is older, or with each other, and which memory that is."""
        memory = [self.scope.root(self.scope.here(each)) for each in self.outputs]
        own = {self.scope.root(placeholder) for _, placeholder, _ in self.scope.lifted.values()}
        return [(number, each) for number, each in enumerate(memory) if each in own or memory.count(each) > 1]

    def close(self, changed: list[Any], is_coded: bool = False) -> None:
        """Adds what the changed tensors hold to the outputs, and makes all of them new tensors."""
        with inner(self.scope):
            found = [_new(self.scope, each) for each in (*self.outputs, *changed)]
            self.outputs = [_coded(self.scope, each) for each in found] if is_coded else found

    def has_gradient(self) -> bool:
        """Whether an operand may have a gradient."""
        return any(spec_of(placeholder).has_gradient for _, placeholder, _ in self.scope.lifted.values())

    def program(self, inputs: list[Any], operands: list[Any]) -> Program:
        """The body as a function of inputs and of tensors from outside."""
        refs = [self.scope.ref(self.scope.here(each)) for each in operands]
        changed = [self.scope.ref(each) for each in self.scope.changed.values()]
        outputs = [self.scope.ref(each) for each in self.outputs]
        return Program([*map(self.scope.ref, inputs), *refs], self.scope.steps, outputs, changed)


def _new(found: Scope, value: Array) -> Any:
    return found.call(torch.clone, value, memory_format=torch.contiguous_format)


# The gradient of `torch.cond` fails where an output is no float: such outputs go through it as floats.
_CODES = {torch.int32: torch.float64, torch.int64: torch.float64}


def _coded(found: Scope, value: Array) -> Array:
    dtype = spec_of(value).dtype
    if dtype.is_floating_point or dtype.is_complex:
        return value
    if dtype == torch.int64:  # its bits, as not all whole numbers are floats
        return found.call(torch.Tensor.view, value, torch.float64)
    return found.call(torch.Tensor.to, value, _CODES.get(dtype, torch.float32))


def _decoded(here: Scope, value: Array, dtype: torch.dtype) -> Array:
    if dtype.is_floating_point or dtype.is_complex:
        return value
    return here.call(torch.Tensor.view if dtype == torch.int64 else torch.Tensor.to, value, dtype)


def _recorded(run: Callable[..., Any], inputs: Iterable[Any] = (), found: Scope | None = None) -> tuple[_Body, Any]:
    found = found or Scope(scope().trace, scope())
    with inner(found):
        leaves, tree = pytree.tree_flatten(run(*inputs))
    return _Body(found, leaves), tree


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list({id(each): each for each in values}.values())


def _check_apart(here: Scope, changed: list[Any], used: list[Any]) -> None:
    """Refuses that a body changes a tensor, and uses another that shares its memory."""
    roots = [here.root(here.here(each)) for each in used]
    for each in changed:
        if roots.count(here.root(here.here(each))) > 1:
            raise MutationError(
                "a branch or loop that PyTorch stages changes a tensor in place, and uses another that shares its "
                "memory",
                **where(),
                construct="in-place operation",
                remedy="use one of the two, or make a copy before: x = x.clone()",
            )


def cond(library: Library, test: Array, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """What one of two functions returns: a tensor, or a tuple or list of such; both return the same structure."""
    here = scope()
    (one, tree), (other, _) = _recorded(body), _recorded(orelse)
    changed = _distinct((*one.changed(), *other.changed()))
    shared = [*one.older(), *other.older()]
    kinds = [_joined(*pair) for pair in zip(_specs(one), _specs(other), strict=True)]
    is_coded = torch.is_grad_enabled() and any(each.has_gradient() for each in (one, other))
    one.close(changed, is_coded)
    other.close(changed, is_coded)
    operands = _distinct(value for each in (one, other) for value, *_ in each.scope.lifted.values())
    _check_apart(here, changed, operands)
    found = [_joined(*pair) for pair in zip(_specs(one), _specs(other), strict=True)]
    made = [of_spec(each) for each in found]
    refs = _operands(here, operands, changed)
    parts = one.program([], operands), other.program([], operands)
    here.add(Branches(here.ref(here.here(test)), parts, refs, made), made)
    if is_coded:
        dtypes = [each.dtype for each in (*kinds, *(spec_of(here.here(each)) for each in changed))]
        made = [_decoded(here, *pair) for pair in zip(made, dtypes, strict=True)]
    _set(here, changed, made[len(kinds) :])
    here.effects = here.effects or one.scope.effects or other.scope.effects
    outputs = [_output(here, *pair) for pair in zip(made, kinds, strict=False)]
    _seal(here, shared, outputs)
    return pytree.tree_unflatten(outputs, tree)


def _operands(here: Scope, values: list[Any], changed: list[Any]) -> list[Any]:
    """Values as operands, of which no two may share memory, and those that change may be kept for gradients."""
    found, seen = [], set()
    for each in values:
        root = here.root(here.here(each))
        is_copied = root in seen or _is(each, changed)
        found.append(here.ref(here.call(torch.clone, each) if is_copied else here.here(each)))
        seen.add(root)
    return found


def _specs(body: _Body) -> list[Spec]:
    with inner(body.scope):
        trace = body.scope.trace
        return [replace(spec_of(body.scope.here(each)), number=trace.kind(each)) for each in body.outputs]


def _joined(one: Spec, other: Spec) -> Spec:
    number = one.number if one.number is other.number else None
    return Spec(one.shape, one.dtype, one.device, number, one.has_gradient or other.has_gradient)


def _output(here: Scope, value: torch.Tensor, kind: Spec) -> torch.Tensor:
    """An output of an operator, which has a gradient if an input has one: not if what it stands for has none."""
    if not kind.has_gradient and torch.is_grad_enabled() and (kind.dtype.is_floating_point or kind.dtype.is_complex):
        value = here.call(torch.Tensor.detach, value)
    return here.trace.number(value, kind.number)


def _set(here: Scope, changed: list[Any], contents: list[torch.Tensor]) -> None:
    for each, content in zip(changed, contents, strict=True):
        has_gradient = spec_of(content).has_gradient
        here.call(torch.Tensor.copy_, each, content if has_gradient else here.call(torch.Tensor.detach, content))


def _seal(here: Scope, shared: list[tuple[int, int]], outputs: list[torch.Tensor]) -> None:
    for number, memory in shared:
        value = outputs[number]
        if here.trace.kind(value) is None:
            here.trace.sealed[here.root(value)] = value, _CHOSEN
            here.trace.sealed.setdefault(memory, (value, _CHOSEN))


def while_loop(
    library: Library, condition: Callable[[Any], Any], turn: Callable[[Any], Any], state: State,
    is_entered: bool = False,
) -> Any:  # fmt: skip
    """The state after a loop: a tensor, or a tuple or list of such; ``is_entered``: it makes a turn."""
    here = scope()
    initial, tree = pytree.tree_flatten(state)
    kinds = [library.type_of(each) for each in initial]
    changed: list[Any] = []
    while True:
        again, body, inputs = _turn(here, condition, turn, kinds, changed, tree)
        found = _distinct((*changed, *again[0].changed(), *body.changed()))
        wanted = [_joined(*pair) for pair in zip(kinds, _specs(body), strict=False)]
        if len(found) == len(changed) and wanted == kinds:
            break
        changed, kinds = found, wanted
    if not is_entered and any(each.has_gradient for each in (*kinds, *_contents(body, changed))):
        # The gradient of PyTorch's loop is wrong where the loop makes no turn: it takes one into account.
        first = library.truth(condition(state))
        return cond(library, first, lambda: while_loop(library, condition, turn, state, True), lambda: state)
    shared = body.older()
    _check_state(body, initial, inputs[1][: len(kinds)], shared)
    body.close(changed)
    again[0].outputs = [_new_truth(again[0], each) for each in again[0].outputs]
    used = _distinct(value for each in (again[0], body) for value, *_ in each.scope.lifted.values())
    operands = [each for each in used if not _is(each, changed)]
    _check_apart(here, changed, [*operands, *changed])
    condition_program = again[0].program(inputs[0], operands)
    condition_program.single = True
    parts = condition_program, body.program(inputs[1], operands)
    start = [here.ref(here.here(each)) for each in _apart(here, [*initial, *changed], _specs(body))]
    made = [of_spec(each) for each in (*kinds, *_specs(body)[len(kinds) :])]
    here.add(Repeated(start, parts, _operands(here, operands, []), made), made)
    _set(here, changed, made[len(kinds) :])
    here.effects = here.effects or again[0].scope.effects or body.scope.effects
    outputs = [_output(here, *pair) for pair in zip(made, kinds, strict=False)]
    _seal(here, shared, outputs)
    older = [(at, here.root(here.here(each))) for at, each in enumerate(initial) if id(each) not in here.trace.fresh]
    _seal(here, older, outputs)
    return pytree.tree_unflatten(outputs, tree)


def _contents(body: _Body, changed: list[Any]) -> list[Spec]:
    """The types of what tensors from outside hold after a body."""
    return [spec_of(body.scope.here(each)) for each in changed]


def _is(value: Array, values: list[Any]) -> bool:
    return any(value is each for each in values)


def _apart(here: Scope, values: list[Any], kinds: list[Spec]) -> list[Any]:
    """Values of which no two share memory, none is changed, and each has a gradient if what a turn leaves has one.

    Otherwise the gradient of PyTorch's loop is that of its last turn alone.
    """
    found = [_new(here, each) for each in values]
    for each, kind in zip(found, kinds, strict=True):
        if kind.has_gradient and not spec_of(each).has_gradient:
            here.call(torch.Tensor.requires_grad_, each)
    return found


def _new_truth(body: _Body, value: Array) -> Any:
    with inner(body.scope):
        return body.scope.call(torch.clone, value)


def _turn(
    here: Scope, condition: Callable[[Any], Any], turn: Callable[[Any], Any], kinds: list[Spec], changed: list[Any],
    tree: Any,
) -> tuple[tuple[_Body, Any], _Body, tuple[list[Any], list[Any]]]:  # fmt: skip
    """Records the condition and a turn, with inputs for the state and for what tensors from outside hold."""
    made = []
    for _ in range(2):
        found = Scope(here.trace, here)
        with inner(found):
            inputs = [input_of(found, each) for each in kinds]
            for each in changed:
                inputs.append(input_of(found, spec_of(here.here(each))))
                found.stand_in(each, inputs[-1])
        made.append((found, inputs))
    (first, tested), (second, turned) = made
    again = _recorded(lambda: condition(pytree.tree_unflatten(tested[: len(kinds)], tree)), found=first)
    body, _ = _recorded(lambda: turn(pytree.tree_unflatten(turned[: len(kinds)], tree)), found=second)
    return again, body, (tested, turned)


def _check_state(body: _Body, initial: list[Any], inputs: list[Any], shared: list[tuple[int, Any]]) -> None:
    """Refuses that a turn changes a tensor in place of which only the run knows which one it is."""
    trace = body.scope.trace
    aliased = {memory for _, memory in shared if [each for _, each in shared].count(memory) > 1}
    for first, each in zip(initial, inputs, strict=True):
        is_other = id(first) not in trace.fresh or body.scope.root(each) in aliased
        if is_other and id(each) in body.scope.changed:
            raise MutationError(
                "a loop that PyTorch stages changes a tensor in place that its variable has from the turn before",
                **where(),
                construct="in-place operation",
                remedy="make a new tensor: x = x + 1, or give the variable no other one in the loop",
            )

