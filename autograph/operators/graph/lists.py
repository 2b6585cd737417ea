"""Lists whose length only the run tells: what a Python list becomes when staged code appends to it or pops from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from autograph.errors import StagedValueError, StagingError
from autograph.runtime import convert, dtypes, trace_text
from autograph.runtime.ir import Type
from autograph.runtime.op import OPS, op
from autograph.runtime.ops.list_value import ListValue
from autograph.runtime.ops.text import Items

from ..state import Mutable, about_to_change, created
from .errors import require, where
from .join import element_spec, join
from .list_methods import LIST_TAKE, ListMethods
from .specs import Frozen, Leaf, ListOf, Mismatch, Spec
from .values import freeze, spec_of

LIST_CAST = op(
    "list_cast",
    infer=lambda items, dtype: Type(dtypes.variant, ()),
    gradient=lambda g, out, items, dtype: (OPS["list_cast_like"](g, items),),
    numpy=lambda items, dtype: ListValue.of([np.asarray(each).astype(dtype.numpy) for each in items]),
    samples=lambda: [((ListValue.of([np.float32(1.5)]),), {"dtype": dtypes.float64})],
    doc="The list with its elements in another dtype.",
)


class ListState:
    """What a staged list holds: one tensor list for each leaf of its elements. Never changes."""

    __slots__ = ("handles", "spec")

    def __init__(self, spec: ListOf, handles: tuple[Any, ...]) -> None:
        self.spec = spec
        self.handles = handles

    @classmethod
    def of(cls, values: list[Any]) -> ListState:
        """The state for a Python list."""
        spec = ListOf(None)
        for value in values:
            spec = _with_element(spec, value)
        tensors: list[Any] = []
        flatten(spec, values, tensors)
        return cls(spec, tuple(tensors))

    def length(self) -> Any:
        return OPS["list_length"](self.handles[0]) if self.handles else 0

    def widened(self, spec: ListOf) -> ListState:
        """The same elements under a wider specification."""
        if spec == self.spec:
            return self
        tensors: list[Any] = []
        flatten(spec, self, tensors)
        return ListState(spec, tuple(tensors))


def _with_element(spec: ListOf, value: Any) -> ListOf:
    new = element_spec(spec_of(freeze(value, lambda _: False)))
    if spec.element is None:
        return ListOf(new)
    try:
        return ListOf(join(spec.element, new))
    except Mismatch as error:
        raise StagingError(
            f"the elements of a staged list differ: {error.left} and {error.right}",
            **where(),
            remedy="give all elements the same type and structure",
        ) from None


def types(spec: ListOf) -> list[Type]:
    """The types of the tensor lists that hold elements of a specification."""
    count = 0 if spec.element is None else max(1, len(spec.element.types()))
    return [Type(dtypes.variant, ())] * count


def flatten(spec: ListOf, value: Any, tensors: list[Any]) -> None:
    """Appends the tensor lists for a Python list or a staged one."""
    if spec.element is None:
        return
    if isinstance(value, StagedList):
        value = value.state
    if isinstance(value, Frozen):
        value = value.contents
    if isinstance(value, ListState):
        _flatten_state(spec, value, tensors)
        return
    handles = [OPS["list_new"]() for _ in types(spec)]
    for each in value:
        handles = _pushed(spec.element, handles, each)
    tensors.extend(handles)


def _flatten_state(spec: ListOf, state: ListState, tensors: list[Any]) -> None:
    wanted = types(spec)
    if state.spec.element is None:
        tensors.extend(OPS["list_new"]() for _ in wanted)
        return
    assert spec.element is not None
    before, after = state.spec.element.types(), spec.element.types()
    if len(before) != len(after):
        raise StagingError(
            "the elements of a staged list change their structure",
            **where(),
            remedy="give all elements the same type and structure",
        )
    for handle, old, new in zip(state.handles, before, after, strict=False):
        tensors.append(handle if old.dtype is new.dtype else LIST_CAST(handle, dtype=new.dtype))
    if not after:
        tensors.extend(state.handles)


def unflatten(spec: ListOf, tensors: Iterator[Any]) -> StagedList:
    """A staged list of tensor lists."""
    return StagedList(ListState(spec, tuple(next(tensors) for _ in types(spec))))


def _pushed(element: Spec, handles: list[Any], value: Any) -> list[Any]:
    leaves: list[Any] = []
    element.flatten(value, leaves)
    return [OPS["list_push"](handle, leaf) for handle, leaf in zip(handles, leaves or [False], strict=True)]


class StagedList(ListMethods, Mutable):
    """A list in a graph. It has the methods of Python's list that a graph can carry out; others are refused."""

    __slots__ = ("name", "state")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, state: ListState, name: str = "") -> None:
        self.state = state
        self.name = name
        created(self)

    def get_state(self) -> ListState:
        return self.state

    def set_state(self, state: Any) -> None:
        self.state = state.state if isinstance(state, StagedList) else state

    def _change(self, state: ListState) -> None:
        about_to_change(self)
        self.state = state

    def length(self) -> Any:
        """The number of elements: a tensor, int32."""
        return self.state.length()

    @property
    def _element(self) -> Spec:
        if self.state.spec.element is None:
            raise IndexError("list index out of range")
        return self.state.spec.element

    def append(self, value: Any) -> None:
        self._change(self.state.widened(_with_element(self.state.spec, value)))
        handles = _pushed(self._element, list(self.state.handles), value)
        self._change(ListState(self.state.spec, tuple(handles)))

    def extend(self, values: Any) -> None:
        from .iterables import each

        # A list may extend itself: by what it holds before.
        each(values.copy() if isinstance(values, StagedList) else values, self.append)

    def pop(self, index: Any = -1) -> Any:
        if not (isinstance(index, int) and index == -1):
            return self._popped(index)
        element = self._element
        require(self.length() > 0, IndexError("pop from empty list"))
        handles, leaves = [], []
        for handle, kind in zip(self.state.handles, self._kinds(), strict=True):
            rest, leaf = OPS["list_pop"](handle, dtype=kind.dtype, shape=kind.shape)
            handles.append(rest)
            leaves.append(leaf)
        self._change(ListState(self.state.spec, tuple(handles)))
        return element.unflatten(iter(leaves))

    def _taken(self, indices: Any) -> StagedList:
        return StagedList(ListState(self.state.spec, tuple(LIST_TAKE(each, indices) for each in self.state.handles)))

    def _become(self, other: StagedList) -> None:
        self._change(other.state)

    def _kinds(self) -> list[Type]:
        return self._element.types() or [Type(dtypes.bool_, ())]

    def _position(self, index: Any) -> Any:
        length = self.length()
        index = index if isinstance(index, int) and index >= 0 else OPS["where"](index < 0, index + length, index)
        inside = OPS["logical_and"](index >= 0, index < length) if not isinstance(index, int) else index < length
        require(inside, IndexError("list index out of range"))
        return index

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(index)
        element, index = self._element, self._position(index)
        leaves = [
            OPS["list_get"](handle, index, dtype=kind.dtype, shape=kind.shape)
            for handle, kind in zip(self.state.handles, self._kinds(), strict=True)
        ]
        return element.unflatten(iter(leaves))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise self._refused("a store into a slice", "store the elements one by one")
        index = self._position(index)
        self._change(self.state.widened(_with_element(self.state.spec, value)))
        leaves: list[Any] = []
        self._element.flatten(value, leaves)
        handles = [
            OPS["list_set"](handle, index, leaf)
            for handle, leaf in zip(self.state.handles, leaves or [False], strict=True)
        ]
        self._change(ListState(self.state.spec, tuple(handles)))

    def copy(self) -> StagedList:
        return StagedList(self.state, self.name)

    def clear(self) -> None:
        self._change(ListState(ListOf(None), ()).widened(self.state.spec))

    def __add__(self, other: Any) -> StagedList:
        made = self.copy()
        made.extend(other)
        return made

    def __radd__(self, other: Any) -> StagedList:
        made = StagedList(ListState.of(list(other)))
        made.extend(self)
        return made

    def __iadd__(self, other: Any) -> StagedList:
        self.extend(other)
        return self

    def __eq__(self, other: object) -> Any:
        from .conditions import and_

        if isinstance(other, StagedList):
            length, rest = other.length(), other
        elif isinstance(other, list):
            length, rest = len(other), StagedList(ListState.of(other))
        else:
            return NotImplemented
        if not self.state.handles or not rest.state.handles:
            return self.length() == length
        return and_(self.length() == length, lambda: OPS["all"](self.__tensor__() == rest.__tensor__()))

    def __ne__(self, other: object) -> Any:
        from .conditions import not_

        same = self.__eq__(other)
        return same if same is NotImplemented else not_(same)

    def __tensor__(self) -> Any:
        """All elements, stacked along a new first axis."""
        element = self.state.spec.element
        if element is None:
            return convert.convert_to_tensor(np.zeros(0, np.float32))
        if not isinstance(element, Leaf):
            raise StagedValueError(
                f"{self!r} can't be stacked to one tensor: its elements are {element}",
                **where(),
                remedy="keep one list for each part, or take the elements by index",
            )
        return OPS["list_stack"](self.state.handles[0], dtype=element.dtype, shape=element.shape)

    def __len__(self) -> NoReturn:
        raise self._refused("len() outside converted code", "convert the function that calls it")

    def __iter__(self) -> NoReturn:
        raise self._refused("iteration outside converted code", "loop over it in converted code, or stack it")

    def __bool__(self) -> NoReturn:
        raise self._refused("a test outside converted code", "write len(x) > 0 in converted code")

    def _compare(self, other: Any) -> NoReturn:
        raise self._refused("a comparison by size", "write a loop over the lists, or stack them")

    __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("__") and hasattr(list, name):
            raise self._refused(f"the list method {name!r}", "write a loop over the list")
        raise AttributeError(f"'list' object has no attribute {name!r}")

    def _refused(self, what: str, remedy: str) -> StagedValueError:
        name = f" `{self.name}`" if self.name else ""
        return StagedValueError(
            f"the list{name} has a length that only the run tells; {what} can't be staged",
            **where(),
            construct=what,
            remedy=remedy,
        )

    def __text_layout__(self, tensors: list[Any]) -> Any:
        tensors.append(self.__tensor__())
        return Items(len(tensors) - 1)

    def __repr__(self) -> str:
        trace_text.check("a staged list")
        return f"<staged list {self.name or ''}: {self.state.spec}>"
