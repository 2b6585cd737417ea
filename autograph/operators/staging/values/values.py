"""From values to what is known of them: specifications, and copies that outlive the undoing of a branch."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph.runtime.base import dtypes
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.tensors import convert
from autograph.runtime.tensors.tensor import EagerTensor, SymbolicTensor, Tensor

from ...variables import UNDEFINED
from .. import asked
from ..heap import array_memory, choices, heap
from ..heap.array_memory import is_array
from ..heap.forms import is_of_own_class
from ..heap.locations import Attribute, Location, Mutable, attributes_of, has_hidden_state, is_plain_object
from ..heap.snapshots import attributes_of_container
from .chosen import Chosen, ChosenOf
from .dicts import DictOf, DictState, StagedDict
from .list_methods import ListMethods
from .maybe import Maybe
from .specs import (
    LEAVES,
    SCALARS,
    Attributes,
    Constant,
    Frozen,
    Leaf,
    ListContents,
    ListOf,
    Optional,
    Reference,
    Spec,
    Tree,
    can_change,
    factory_of,
    has_parts,
    parts_of,
    rebuild,
)


def spec_of(value: object) -> Spec:
    """The specification of one value: tensors may vary, all else is constant."""
    if type(value) in LEAVES:
        return Constant(value)
    if isinstance(value, SymbolicTensor):
        is_mixed = array_memory.is_mixed(value) or sometimes_bool.is_one(value)
        return Leaf(value.dtype, value.static_shape, value.python, is_mixed)
    if isinstance(value, Maybe):
        return Optional(value.ag__missing, spec_of(value.ag__value), value.ag__name)
    if isinstance(value, Frozen):
        return Reference(value)
    if isinstance(value, ListContents):
        return value.spec
    if isinstance(value, DictState):
        return _of_dict(value)
    if isinstance(value, Chosen):
        return ChosenOf(value.options)
    is_parts = isinstance(value, tuple) and not attributes_of_container(value)
    return structure_of(value) if is_parts else Constant(value)


def structure_of(value: object) -> Spec:
    """The specification of a structure by its parts."""
    if isinstance(value, Frozen):
        contents = value.contents
        if isinstance(contents, (Tensor, np.ndarray)):
            return _of_array(contents, value.obj)
        if isinstance(contents, ListContents):
            spec = contents.spec
            return ListOf(spec.element, type(value.obj), spec.repeats) if is_of_own_class(value.obj) else spec
        if isinstance(contents, DictState):
            return _of_dict(contents, type(value.obj) if isinstance(value.obj, dict) else dict)
        kind = contents.kind if isinstance(contents, Attributes) else type(value.obj)
        keys, parts = parts_of(contents)
        return Tree(kind, keys, [spec_of(part) for part in parts], factory_of(value.obj))
    keys, parts = parts_of(value)
    return Tree(type(value), keys, [spec_of(part) for part in parts], factory_of(value))


def _of_array(held: Any, array: object) -> Leaf:
    """The specification of what an array holds."""
    spec = tensor_spec(held) if isinstance(held, np.ndarray) else Leaf(held.dtype, held.static_shape)
    assert spec is not None
    return Leaf(spec.dtype, spec.shape, array_memory.kind_of(array), array_memory.is_mixed(array))


def _of_dict(state: DictState, kind: type = dict) -> DictOf:
    return DictOf(tuple(state.values), [spec_of(value) for value in state.values.values()], state.is_ordered, kind)


def exported(value: object) -> Spec:
    """The specification of a value that only one branch gives: objects that the branch has made go by their parts."""
    spec = spec_of(value)
    if isinstance(value, Frozen) and value.is_new:
        spec = structure_of(value)
        value = value.contents
    if isinstance(spec, DictOf) and isinstance(value, DictState):
        parts = [exported(part) for part in value.values.values()]
        return DictOf(spec.keys, parts, spec.is_ordered, spec.kind)
    if isinstance(spec, Tree):
        children = [exported(part) for part in parts_of(value)[1]]
        return Tree(spec.kind, spec.keys, children, spec.factory)
    return spec


_DEEPEST = 100
"""Objects in objects that are frozen; those further in (of a linked list, say) have to be the same ones."""


class _Memo(dict[int, Any]):
    """What is frozen already, by identity, and how many objects the value at hand is in."""

    depth = 0


def freeze(value: object, is_new: Callable[[Any], bool], memo: _Memo | None = None) -> Any:
    """A copy of a value in which mutable objects are `Frozen`: what they hold now, and which object it is.

    An object that is out of date stays so: it is looked at, not used.
    """
    with choices.as_they_are():
        return _freeze(value, is_new, memo)


def _freeze(value: object, is_new: Callable[[Any], bool], memo: _Memo | None) -> Any:
    if type(value) in LEAVES:
        return value
    form = heap.form(value)
    if (form is not value and isinstance(value, (list, dict))) or isinstance(value, (ListMethods, StagedDict)):
        return _frozen_form(heap.original(value), form, is_new, memo)
    if isinstance(value, Maybe):
        return Maybe(value.ag__missing, value.ag__flag, _freeze(value.ag__value, is_new, memo), value.ag__name)
    if isinstance(value, tuple):
        parts = [_freeze(part, is_new, memo) for part in value]
        return value if all(map(operator.is_, parts, value)) else rebuild(type(value), range(len(parts)), parts)
    if isinstance(value, DictState):
        return value.mapped(lambda part: _freeze(part, is_new, memo))
    if is_array(value):
        return _frozen_array(value, form, is_new)
    structural = has_parts(value)
    if not structural and not (is_new(value) and is_plain_object(value) and not has_hidden_state(value)):
        return value
    memo = _Memo() if memo is None else memo
    frozen = memo.get(id(value))
    if frozen is None and memo.depth > _DEEPEST and not isinstance(value, (list, dict)):
        return value
    if frozen is None:
        frozen = memo[id(value)] = Frozen(value, None, is_new(value))
        memo.depth += 1
        if structural:
            keys, children = parts_of(value)
            made = [_freeze(part, is_new, memo) for part in children]
            kind = dict if isinstance(value, dict) else list if isinstance(value, list) else None
            frozen.contents = (
                Attributes(type(value), dict(zip(keys, made, strict=True))) if kind is None else
                rebuild(kind, keys, made)
            )  # fmt: skip
        else:
            values = {key: _freeze(part, is_new, memo) for key, part in attributes_of(value).items()}
            frozen.contents = Attributes(type(value), values)
        memo.depth -= 1
    return frozen


def _frozen_array(array: object, held: object, is_new: Callable[[Any], bool]) -> Frozen:
    """An array, and what it holds: a tensor, or the array itself where Python knows."""
    memory = array_memory.memory_of(array)
    return Frozen(array, held, is_new(memory) or (array_memory.is_tensor(array) and is_new(array)))


def _frozen_form(value: object, form: Any, is_new: Callable[[Any], bool], memo: _Memo | None) -> Any:
    """A list or dict with a staged form, or one that is itself staged."""
    state = form.state
    if isinstance(form, StagedDict):
        return Frozen(value, _freeze(state, is_new, memo), is_new(value))
    return Frozen(value, state, is_new(value))


def mutables(value: object) -> Iterator[Any]:
    """A value and its parts at any depth that can change."""
    pending, seen = [value], set()
    while pending:
        each = pending.pop()
        each = each.ag__value if isinstance(each, Maybe) else each
        each = each if is_array(each) else heap.form(each)
        if isinstance(each, Mutable) or is_array(each) or (has_parts(each) and can_change(each)):
            if id(each) in seen:
                continue
            seen.add(id(each))
            yield each
        if has_parts(each):
            pending.extend(_larger(parts_of(each)[1]))


def _larger(parts: Iterable[Any]) -> list[Any]:
    """Those of some parts that may have parts or change."""
    return [part for part in parts if type(part) not in LEAVES]


def varying(value: object) -> Spec:
    """The first guess for a variable that a loop assigns: numbers and arrays vary, with the type that they have."""
    if isinstance(value, EagerTensor):
        return Leaf(value.dtype, value.static_shape)
    if isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)):
        return tensor_spec(value) or Constant(value)
    if isinstance(value, tuple) and not attributes_of_container(value):
        keys, parts = parts_of(value)
        return Tree(type(value), keys, [varying(part) for part in parts], factory_of(value))
    return spec_of(value)


def tensor_spec(value: object) -> Leaf | None:
    """The specification of the tensor that a number, string or array becomes; None when it becomes none.

    A member of an `enum.IntEnum`, or another number or string of a class of its own, becomes none: a tensor would hold
    the number, and nothing of the class; nor do NumPy's bytes.
    """
    if isinstance(value, EagerTensor):
        return Leaf(value.dtype, value.static_shape)
    if type(value) in SCALARS or (isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind != "S"):
        try:
            tensor = convert.convert_to_tensor(value)
        except (TypeError, ValueError, OverflowError):
            return None
        python = next((each for each in dtypes.OF_NUMPY if isinstance(value, each)), type(value))
        return Leaf(tensor.dtype, tensor.static_shape, python)
    to_tensor = getattr(type(value), "__tensor__", None)
    if to_tensor is not None:
        tensor = convert.convert_to_tensor(value)
        return Leaf(tensor.dtype, tensor.static_shape)
    return None


def references_in(values: list[Any]) -> set[int]:
    """The mutable objects that frozen values hold, by identity."""
    return {id(each.obj) for each in frozen_in(values)}


def frozen_in(values: list[Any]) -> Iterator[Frozen]:
    """The frozen objects in some values, at any depth, each once."""
    return (each for each in inside(values) if isinstance(each, Frozen))


def inside(values: list[Any]) -> Iterator[Any]:
    """The frozen objects in some values at any depth, once each, and all else that is no structure, number or text."""
    pending, seen = list(values), set()
    while pending:
        value = pending.pop()
        if isinstance(value, Maybe):
            pending.append(value.ag__value)
        elif isinstance(value, Frozen):
            if id(value) not in seen:
                seen.add(id(value))
                yield value
                pending.append(value.contents)
        elif isinstance(value, DictState):
            pending.extend(_larger(value.values.values()))
        elif isinstance(value, Attributes) or type(value) in (list, dict) or isinstance(value, tuple):
            if id(value) not in seen:  # a list may hold itself
                seen.add(id(value))
                pending.extend(_larger(parts_of(value)[1]))
        else:
            yield value


def frozen_after(value: object, changes: list[tuple[Location, Any]]) -> Any:
    """A value frozen with some changes of its parts, which are undone already; what they set is frozen too."""
    frozen = freeze(value, lambda _: False)
    for each in frozen_in([frozen]):
        for location, new in changes:
            if location.owner is not each.obj and location.owner is not array_memory.known_form(each.obj):
                continue
            if not isinstance(location, Attribute):
                each.contents = new
            elif new is UNDEFINED:
                each.contents.values.pop(location.name, None)
            else:
                each.contents.values[location.name] = new
    return frozen


asked.STRUCTURE_OF.give(structure_of)
