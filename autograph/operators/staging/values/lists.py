"""Lists whose length only the run tells: what a Python list becomes when staged code appends to it or pops from it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from autograph.errors import StagedValueError, StagingError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.graph import Type
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text.text import Items
from autograph.runtime.tensors import convert, trace_text
from autograph.runtime.tensors.tensor import Tensor

from .. import asked
from ..control.errors import require, where
from ..heap import aliases, heap
from ..heap.forms import held_by
from ..heap.list_changes import ListChanges
from ..heap.state import Mutable, about_to_change, created
from .join import element_spec, join
from .list_methods import ListMethods, require_index
from .list_ops import LIST_TAKE, NESTED_LIST_STACK
from .list_protocol import HoldsCopies, ListProtocol
from .specs import Frozen, Leaf, ListContents, ListOf, Mismatch, Spec, refused_copy
from .values import freeze, mutables, spec_of
from .widening import holds_lists, widened_handles, written


class ListState(ListContents):
    """What a staged list holds: one tensor list for each leaf of its elements. Never changes."""

    __slots__ = ("handles",)

    def __init__(self, spec: ListOf, handles: tuple[Any, ...]) -> None:
        self.spec = spec
        self.handles = handles

    @classmethod
    def of(cls, values: Sequence[Any], kind: type = list) -> ListState:
        """The state for a Python list, or (of the kind `tuple`) tuple."""
        if aliases.any_known():
            for each in mutables(list(values)):
                aliases.use(each)
        spec = ListOf(None, kind)
        for value in values:
            spec = _with_element(spec, value)
        tensors: list[Any] = []
        flatten(spec, values, tensors)
        return cls(spec, tuple(tensors))

    def length(self) -> Any:
        return 0 if self.spec.element is None else OPS["list_length"](self.handles[0])

    def widened(self, spec: ListOf) -> ListState:
        """The same elements under a wider specification."""
        if spec == self.spec:
            return self
        return ListState(spec, tuple(widened_handles(self.spec, spec, list(self.handles))))

    def as_kind(self, kind: type) -> ListState:
        """The same elements in a list or a tuple."""
        return ListState(ListOf(self.spec.element, kind, self.spec.repeats), self.handles)

    def repeating(self) -> ListState:
        """The same elements, of which two may be one list."""
        return ListState(ListOf(self.spec.element, self.spec.kind, True), self.handles)


def _with_element(spec: ListOf, value: object) -> ListOf:
    new = element_spec(spec_of(freeze(value, lambda _: False)))
    if spec.element is None:
        return ListOf(new, spec.kind, spec.repeats)
    try:
        return ListOf(join(spec.element, new), spec.kind, spec.repeats)
    except Mismatch as error:
        left, right = str(error.left), str(error.right)
        kind = f"a staged {spec.kind.__name__}"
        differ = f"the elements of {kind} differ: {left} and {right}"
        raise StagingError(
            differ if left != right else f"{kind} can't hold objects such as {left}",
            **where(),
            remedy=f"keep plain values, {error.plain}"
            if error.plain is not None
            else "give all elements the same type and structure: tensors, numbers, strings, and tuples, lists, dicts "
            "and dataclasses of them",
        ) from None


@asked.FLATTEN_LIST.give
def flatten(spec: ListOf, value: Any, tensors: list[Any]) -> None:
    """Appends the tensor lists for a Python list or a staged one."""
    value = heap.form(value)
    if isinstance(value, StagedList):
        value = value.state
    if isinstance(value, Frozen):
        value = value.contents
    if isinstance(value, ListState):
        tensors.extend(widened_handles(value.spec, spec, list(value.handles)))
        return
    handles = [OPS["list_new"]() for _ in spec.types()]
    for each in held_by(value):
        assert spec.element is not None
        handles = pushed(spec.element, handles, each)
    tensors.extend(handles)


@asked.UNFLATTEN_LIST.give
def unflatten(spec: ListOf, tensors: Iterator[Any]) -> StagedList:
    """A staged list or tuple of tensor lists."""
    return staged(ListState(spec, tuple(next(tensors) for _ in spec.types())))


def staged(state: ListState) -> StagedList:
    """A staged list that holds something, or a staged tuple.

    Raises:
        StagedValueError: it would be of a class other than Python's.
    """
    if state.spec.kind not in KINDS:
        raise refused_copy(state.spec.kind)
    return KINDS[state.spec.kind](state)


def pushed(element: Spec, handles: list[Any], value: object) -> list[Any]:
    leaves: list[Any] = []
    element.flatten(value, leaves)
    return [OPS["list_push"](handle, leaf) for handle, leaf in zip(handles, leaves or [False], strict=True)]


class StagedList(HoldsCopies, ListMethods, ListProtocol, Mutable):
    """A list in a graph. It has the methods of Python's list that a graph can carry out; others are refused."""

    __slots__ = ("_held", "changes", "name")
    _class: ClassVar[type] = list
    __hash__ = None  # type: ignore[assignment]
    depth = 0
    """How many staged lists it is an element of."""

    def __init__(self, state: ListState, name: str = "") -> None:
        self._held = state
        self.name = name
        self.changes = ListChanges()
        created(self)

    @classmethod
    def holding(cls, values: Sequence[Any]) -> StagedList:
        """A list of copies of what a Python list or tuple holds, which knows what they are copies of."""
        made = cls(ListState.of(list(values)))
        for each in values:
            made.hold(each)
        return made

    @property
    def state(self) -> ListState:
        """What it holds."""
        aliases.use(self)
        return self._held

    @property
    def root(self) -> StagedList:
        """The outermost list that it is a part of."""
        return self

    def check_order(self) -> None:
        """Refuses what depends on the order of the elements of a set."""

    def own(self) -> StagedList:
        """The list itself; what stands for a Python list becomes a list of the graph first."""
        return self

    def get_state(self) -> Any:
        return self._held

    def set_state(self, state: Any) -> None:
        self._held = state.state if isinstance(state, StagedList) else state

    def change_to(self, state: ListState, moved: bool = True) -> None:
        """Puts another state in place; `moved` tells whether the elements have other places, or are others."""
        if moved:
            self.root.changes.moved(self.depth)
        self._store(state)

    def _store(self, state: ListState) -> None:
        about_to_change(self)
        self._held = state

    def may_repeat(self) -> None:
        """Notes that something may be in it twice."""
        self._held = self._held.repeating()

    def length(self) -> Any:
        """The number of elements: a tensor, int32."""
        return self.state.length()

    @property
    def _element(self) -> Spec:
        element = self.state.spec.element
        assert element is not None, "an index into an empty list has been refused"
        return element

    def append(self, value: object) -> None:
        self._own(value)
        self._push(value)

    def _push(self, value: object) -> None:
        state = self.state.widened(_with_element(self.state.spec, value))
        assert state.spec.element is not None
        handles = pushed(state.spec.element, list(state.handles), value)
        self.change_to(ListState(state.spec, tuple(handles)), moved=False)

    def extend(self, values: object) -> None:
        if isinstance(values, (list, tuple)) and any(True for part in values for _ in mutables(part)):
            for part in list(values):
                self.append(part)
            return
        if isinstance(values, StagedList) and not values.depth:
            self.root.own()
            self._hold_some_of(values)
            if values.state.spec.repeats:
                self.root.may_repeat()
            # A list may extend itself: by what it holds before.
            asked.EACH.function(values.listed(), self._push)
        else:
            asked.EACH.function(values.listed() if isinstance(values, StagedList) else values, self.append)

    def pop(self, index: object = -1) -> Any:
        if self.state.spec.element is None:
            raise IndexError("pop from empty list")
        if not (isinstance(index, int) and index == -1):
            return self._popped(index)
        element = self._element
        require(self.length() > 0, IndexError("pop from empty list"))
        handles, leaves = [], []
        for handle, kind in zip(self.state.handles, self._kinds(), strict=True):
            rest, leaf = OPS["list_pop"](handle, dtype=kind.dtype, shape=kind.shape)
            handles.append(rest)
            leaves.append(leaf)
        self.change_to(ListState(self.state.spec, tuple(handles)))
        return self._release(element.unflatten(iter(leaves)))

    def _taken(self, indices: object) -> StagedList:
        state = self.state
        return staged(ListState(state.spec, tuple(LIST_TAKE(each, indices) for each in state.handles)))

    def taken(self, indices: object) -> StagedList:
        """A list of the elements at some places."""
        return self._share(self._taken(indices))

    def _become(self, other: StagedList) -> None:
        self.change_to(other.state)

    def _kinds(self) -> list[Type]:
        return self._element.types() or [Type(dtypes.bool_, ())]

    def _position(self, index: Any, use: str = "list") -> Any:
        require_index(index)
        if self.state.spec.element is None:
            raise IndexError(f"{self._use(use)} index out of range")
        length = self.length()
        index = index if isinstance(index, int) and index >= 0 else OPS["where"](index < 0, index + length, index)
        inside = OPS["logical_and"](index >= 0, index < length) if not isinstance(index, int) else index < length
        require(inside, IndexError(f"{self._use(use)} index out of range"))
        return index

    def _use(self, use: str) -> str:
        return use if kind_of(self) is list else "tuple"

    def at(self, index: object) -> Any:
        """A copy of the element at a place that there is."""
        state = self.state
        leaves = [
            OPS["list_get"](handle, index, dtype=kind.dtype, shape=kind.shape)
            for handle, kind in zip(state.handles, self._kinds(), strict=True)
        ]
        return self._element.unflatten(iter(leaves))

    def __getitem__(self, index: object) -> Any:
        if isinstance(index, slice):
            return self._share(self._slice(index))
        return asked.ELEMENT_AT.function(self, self._position(index))

    def __setitem__(self, index: object, value: object) -> None:
        if isinstance(index, slice):
            self._set_slice(index, value)
            return
        self._own(value)
        index = self._position(index, "list assignment")
        state = self.state.widened(_with_element(self.state.spec, value))
        leaves: list[Any] = []
        assert state.spec.element is not None
        state.spec.element.flatten(value, leaves)
        handles = [
            OPS["list_set"](handle, index, leaf) for handle, leaf in zip(state.handles, leaves or [False], strict=True)
        ]
        self.change_to(ListState(state.spec, tuple(handles)))

    def listed(self) -> StagedList:
        """A list of the same elements."""
        return self._share(StagedList(self.state.as_kind(list), self.name))

    def copy(self) -> StagedList:
        return self.listed()

    def clear(self) -> None:
        self.change_to(ListState(ListOf(None), (OPS["list_new"](),)).widened(self.state.spec))

    def __add__(self, other: object) -> StagedList:
        if isinstance(other, Tensor):
            return NotImplemented
        if not isinstance(other, (list, StagedList)) or kind_of(other) is tuple:
            raise TypeError(f'can only concatenate list (not "{kind_of(other).__name__}") to list')
        made = self.copy()
        made.extend(other)
        return made

    def __radd__(self, other: Any) -> StagedList:
        if isinstance(other, tuple):
            raise TypeError('can only concatenate tuple (not "list") to tuple')
        made = StagedList(ListState.of(list(other)))
        made.extend(self)
        return made

    def __iadd__(self, other: object) -> StagedList:
        self.extend(other)
        return self

    def __imul__(self, times: object) -> StagedList:
        self._become(self * times)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (StagedList, list, tuple)):
            return NotImplemented
        if kind_of(self) is not kind_of(other):
            return False
        rest = other if isinstance(other, StagedList) else StagedList(ListState.of(other))
        if self.state.spec.element is None or rest.state.spec.element is None:
            return self.length() == rest.length()
        return asked.EQUAL_LISTS.function(self, rest)

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else asked.NOT.function(same)

    def __tensor__(self) -> Any:
        """All elements, stacked along a new first axis; those of lists of lists along several."""
        element, depth = self.state.spec.element, 1
        while isinstance(element, ListOf):
            element, depth = element.element, depth + 1
        if element is None:
            return convert.convert_to_tensor(np.zeros((0,) * depth, np.float32))
        if not isinstance(element, Leaf):
            raise StagedValueError(
                f"{self!r} can't be stacked to one tensor: its elements are {element}",
                **where(),
                remedy="keep one list for each part, or take the elements by index",
            )
        handle = self.state.handles[0]
        if depth > 1:
            return NESTED_LIST_STACK(handle, depth=depth, dtype=element.dtype, shape=element.shape)
        return OPS["list_stack"](handle, dtype=element.dtype, shape=element.shape)

    def __len__(self) -> NoReturn:
        raise self.refused("len() outside converted code", "convert the function that calls it")

    def __iter__(self) -> Iterator[Any]:
        return asked.UNPACKED.function(self, sys._getframe(1))

    def __bool__(self) -> NoReturn:
        raise self.refused("a test outside converted code", "write len(x) > 0 in converted code")

    def _ordered(self, other: object, order: Callable[[Any, Any], Any]) -> Any:
        return asked.ORDERED.function(self, other, order) if kind_of(self) is kind_of(other) else NotImplemented

    def __lt__(self, other: object) -> Any:
        return self._ordered(other, operator.lt)

    def __le__(self, other: object) -> Any:
        return self._ordered(other, operator.le)

    def __gt__(self, other: object) -> Any:
        return self._ordered(other, operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._ordered(other, operator.ge)

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(self._class, name):
            raise self.refused(f"`x.{name}`", "use operators, len(x), x[i], `in`, or loop over it in converted code")
        raise AttributeError(f"'{self._class.__name__}' object has no attribute {name!r}")

    def refused(self, what: str, remedy: str) -> StagedValueError:
        name = f" `{self.name}`" if self.name else ""
        return StagedValueError(
            f"the {kind_of(self).__name__}{name} has a length that only the run tells; {what} can't be staged",
            **where(),
            construct=what,
            remedy=remedy,
        )

    def __text_layout__(self, tensors: list[Any]) -> Any:
        if kind_of(self) is not list or holds_lists(self.state.spec.element):
            raise self.refused("its text", "write the text of each element")
        tensors.append(written(self.state.spec.element, self.__tensor__()))
        return Items(len(tensors) - 1)

    def __repr__(self) -> str:
        trace_text.check("a staged list")
        return f"<staged list {self.name or ''}: {self.state.spec}>"


def kind_of(value: object) -> type:
    """The type of a value; of a list or tuple, also a staged one or one of a user's class, Python's."""
    if isinstance(value, StagedList):
        return value.state.spec.kind
    return next((kind for kind in (list, tuple) if isinstance(value, kind)), type(value))


KINDS: dict[type, type[StagedList]] = {list: StagedList}
"""The staged form of each kind of container; `tuples` and `sets` put theirs here."""
