"""Which tensors of a graph stand for the memory of NumPy arrays, and which of them a store has put out of date.

A store changes an array under all its names. In a graph it makes a new tensor, which one name gets; tensors that other
names hold keep the old numbers, and so do tensors that would be views. They may not be used any more.

Each tensor that stands for memory knows since when it does, and memory knows when it was stored into last. Where
branches or the turns of a loop merge, what a variable stands for afterwards is memory of its own: which of its
`parents` that is, only the run tells. A store into it puts names of the parents out of date and the reverse, but not
those of its siblings, as names that never had the same memory in one branch or turn have not got it afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime import trace
from autograph.runtime.in_place import viewed
from autograph.runtime.ir import Value
from autograph.runtime.tensor import EagerTensor, SymbolicTensor

from ..state import stack
from .errors import keywords_of, where
from .maybe import Maybe
from .specs import Attributes, Frozen, parts_of


class Memory:
    """The memory of an array, or that of one of several."""

    __slots__ = (
        "ancestors", "array", "born", "content", "inherited", "list", "listed", "place", "stored"
    )  # fmt: skip

    def __init__(self, parents: Iterable[Memory] = (), array: np.ndarray[Any, Any] | None = None) -> None:
        self.ancestors: frozenset[Memory] = frozenset(
            each for parent in parents for each in (parent, *parent.ancestors)
        )
        self.array = array
        self.born = _tick()
        self.content = None if array is None else array.copy()
        self.stored = 0
        """When it was stored into."""
        self.inherited = 0
        """When memory was stored into that may be this one."""
        self.list: Any = None
        """The list of which this is an element; only the run tells which, so that a store may change them all."""
        self.place: dict[str, Any] = {}
        """Where the user's code has stored into it last."""
        self.listed: int = max((each.listed for each in self.ancestors), default=0)
        """When a staged list got it as an element, of which the graph has a copy."""

    def is_related(self, other: Memory) -> bool:
        """Whether the two may be the same."""
        return self is other or self in other.ancestors or other in self.ancestors

    def store(self) -> None:
        """Notes a store."""
        self.stored = _tick()
        self.place = where()
        for each in self.ancestors:
            each.inherited, each.place = self.stored, self.place
            if self.list is not None:
                each.stored = each.listed = self.stored  # the list gets what the store makes

    def look(self) -> None:
        """Notes what plain NumPy has done to the array."""
        if self.array is not None and self.array.flags.writeable and not _equal(self.array, self.content):
            self.content = self.array.copy()
            self.store()
            place = stack()[0].announced_at(self.array) if stack() else None
            self.place = self.place if place is None else keywords_of(place.location)

    def changed_since(self, time: int) -> bool:
        for each in (self, *self.ancestors):
            each.look()
        return max(self.stored, self.inherited, *(each.stored for each in self.ancestors)) > time


Times = dict[Memory, tuple[int, int]]


class _Local(threading.local):
    def __init__(self) -> None:
        self.clock = 0
        self.known: dict[int, tuple[Any, Memory, int]] = {}
        self.of_arrays: list[Memory] = []
        self.all: list[Memory] = []


_local = _Local()


def _tick() -> int:
    _local.clock += 1
    return _local.clock


def now() -> int:
    """A time that all stores and memory so far are earlier than."""
    return _tick()


def _equal(left: Any, right: Any) -> bool:
    return left is right or (left.shape == right.shape and left.tobytes() == right.tobytes())


def new(parents: Iterable[Memory] = (), array: Any = None) -> Memory:
    """Memory of an array, or that may be some other memory."""
    if not _local.all:
        trace.watch_inputs(check_current)
    made = Memory(parents, array)
    _local.all.append(made)
    return made


def shares_memory(left: Any, right: Any) -> bool:
    """Whether two NumPy arrays have memory in common."""
    if left is right or not np.may_share_memory(left, right):
        return left is right
    try:
        return bool(np.shares_memory(left, right, max_work=1000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _of_array(array: np.ndarray[Any, Any]) -> Memory:
    while isinstance(array.base, np.ndarray):
        array = array.base
    for memory in _local.of_arrays:
        if shares_memory(memory.array, array):
            memory.look()
            return memory
    _local.of_arrays.append(new((), array))
    return _local.of_arrays[-1]


def of(value: Any) -> Memory | None:
    """The memory that an array or tensor stands for; None for tensors that are nobody's array."""
    if isinstance(value, np.ndarray):
        return _of_array(value)
    found = _found(value)
    return None if found is None else found[1]


def _found(value: Any) -> tuple[Any, Memory, int] | None:
    """What is known of a tensor, or of the one that it would be a view of."""
    if not _local.all:
        return None
    if isinstance(value, EagerTensor):
        return _known(value._array)
    current = value.value if isinstance(value, SymbolicTensor) else value
    while isinstance(current, Value):
        is_constant = current.node.op.name == "constant"
        found = _known(current.node.attributes["value"] if is_constant else current)
        if found is not None:
            return found
        current = current.node.graph.origins.get(current) or viewed(current)
    return None


def is_view(tensor: SymbolicTensor) -> bool:
    """Whether a tensor that stands for memory would be a view of an array."""
    return viewed(tensor.value) is not None and _known(tensor.value) is None


def _known(obj: Any) -> tuple[Any, Memory, int] | None:
    found = _local.known.get(id(obj))
    return found if found is not None and found[0] is obj else None


def is_same(left: Any, right: Any) -> bool:
    """Whether two values surely stand for the same array."""
    memory = of(left)
    return memory is not None and memory is of(right)


def stored_at(value: Any) -> dict[str, Any] | None:
    """Where an array, or one that a tensor stands for, has been stored into; None if nowhere."""
    memory = of(value)
    return memory.place if memory is not None and max(memory.stored, memory.inherited) > 0 else None


def register(tensor: Any, memory: Memory) -> None:
    """Notes that from now on a tensor stands for memory."""
    if isinstance(tensor, EagerTensor):
        obj = tensor._array
    elif isinstance(tensor, SymbolicTensor):
        node = tensor.value.node
        obj = node.attributes["value"] if node.op.name == "constant" else tensor.value
    else:
        return
    _local.known[id(obj)] = obj, memory, _tick()


def look() -> None:
    """Notes what plain NumPy has done to arrays."""
    for each in _local.all:
        each.look()


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]
    trace.watch_inputs(None)


def check_current(value: Any) -> None:
    """Refuses the use of a tensor that a store has put out of date.

    Raises:
        MutationError: it is one.
    """
    error = _outdated(value)
    if error is not None:
        raise error


def outdated(values: Iterable[Any]) -> MutationError | None:
    """What to raise at the end of a trace, when tensors in values, or elements of lists, are out of date."""
    if not _local.all:
        return None
    found = [_outdated(leaf) for value in values for leaf in leaves(value)]
    found += [_changed(each, each.listed) for each in list(_local.all) if each.listed]
    return next((error for error in found if error is not None), None)


def _outdated(value: Any) -> MutationError | None:
    found = _found(value)
    return None if found is None else _changed(*found[1:])


def _changed(memory: Memory, since: int) -> MutationError | None:
    if not memory.changed_since(since):
        return None
    stored = max((memory, *memory.ancestors), key=lambda each: max(each.stored, each.inherited)).place
    line = f" on line {stored['line']}" if "line" in stored else ""
    return MutationError(
        f"an array is stored into{line} by staged code, and another name of it, or a view, is used afterwards, which "
        "would not see the change",
        **stored,
        construct="item store",
        remedy="use the array under one name, make views after the store, or copies of them before (x.copy())",
    )


def note_listed(value: Any) -> None:
    """Notes that a staged list gets what stands for an array as an element, or in one."""
    for leaf in leaves(value):
        memory = of(leaf)
        if memory is not None:
            memory.listed = _tick()


def note_element(made: Any, values: Any, elements: Sequence[Any] | None) -> None:
    """Notes that `made` stands for an element of a list: of a Python list with these elements, or of a staged list."""
    if elements is not None:
        parents = [of(leaf) for each in elements for leaf in leaves(each)]
    else:
        parents = [each for each in _local.all if each.listed]
    known = [each for each in parents if each is not None]
    if known:
        memory = new(known)
        memory.list = values
        for leaf in leaves(made):
            register(leaf, memory)


def is_listed(memory: Memory) -> bool:
    """Whether a staged list may have an array as an element."""
    return any(each.listed and each.is_related(memory) for each in _local.all)


def times() -> Times:
    """When memory has been stored into, for `turn_back` and `advance`."""
    return {each: (each.stored, each.inherited) for each in _local.all}


def turn_back(before: Times) -> Times:
    """Undoes the stores since `before`, at the end of a body; returns those of the body."""
    now = times()
    for each in _local.all:
        each.stored, each.inherited = before.get(each, (0, 0))
    return now


def advance(after: Times) -> None:
    """Notes the stores of a body."""
    for each, (stored, inherited) in after.items():
        each.stored = max(each.stored, stored)
        each.inherited = max(each.inherited, inherited)


class at:
    """``with at(times):`` as it was when a body ended."""

    def __init__(self, after: Times) -> None:
        self.after = after

    def __enter__(self) -> None:
        self.before = times()
        advance(self.after)

    def __exit__(self, *_: object) -> None:
        turn_back(self.before)


def leaves(value: Any) -> Iterator[Any]:
    """The arrays and tensors in a value, frozen or not."""
    if isinstance(value, (SymbolicTensor, EagerTensor, np.ndarray)):
        yield value
    elif isinstance(value, Maybe):
        yield from leaves(value.ag__value)
    elif isinstance(value, Frozen):
        yield from leaves(value.contents)
    elif isinstance(value, (tuple, list, dict, Attributes)):
        for part in parts_of(value)[1]:
            yield from leaves(part)
