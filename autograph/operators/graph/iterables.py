"""What staged `range`, `enumerate`, `zip`, `map`, `filter` and `reversed` give: what a staged loop runs over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from autograph.errors import StagedValueError, StagingError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.tensors import trace_text
from autograph.runtime.tensors.tensor import Tensor

from .. import heap
from ..builtin_calls import truth
from ..calls import call
from .errors import require, type_error, where
from .lists import ListState, StagedList
from .maybe import Maybe


class StagedIterable:
    """Something that a staged loop runs over: a state that goes from item to item."""

    __slots__ = ("used",)
    __hash__ = None  # type: ignore[assignment]
    once = True
    """Python's counterpart is an iterator, which runs only once."""

    @property
    def peeks(self) -> bool:
        """Whether `has_next` makes the next item already, which must not happen when the loop has been left."""
        return False

    def __init__(self) -> None:
        self.used = False

    def start(self) -> Any:
        """The state before the first item."""
        return 0

    def has_next(self, state: Any) -> Any:
        """Whether there is another item: a bool, maybe staged."""
        raise NotImplementedError

    def next(self, state: Any) -> tuple[Any, Any]:
        """The next item, and the state after it."""
        raise NotImplementedError

    def keeps(self, item: Any) -> Any:
        """Whether the loop's body runs for the item."""
        return True

    def length(self) -> Any:
        raise TypeError(f"object of type {self._kind!r} has no len()")

    def at(self, index: Any) -> Any:
        """The item at an index, as in ``x[i]``."""
        raise TypeError(f"{self._kind!r} object is not subscriptable")

    def __getitem__(self, index: Any) -> Any:
        return self.at(index)

    def begin(self) -> None:
        """Called when a loop starts.

        Raises:
            StagingError: the iterator has been run over before, so that in Python it would be used up.
        """
        if self.used:
            raise StagingError(
                "a staged iterator (zip, map, filter, enumerate, reversed) is run over for the second time",
                **where(),
                remedy="make a new one for each loop",
            )
        self.used = self.once

    def __iter__(self) -> NoReturn:
        raise StagedValueError(
            f"{self!r} is used as an iterable outside converted code",
            **where(),
            remedy="loop over it in converted code",
        )

    def __text_layout__(self, tensors: list[Any]) -> Any:
        raise StagedValueError(
            f"{self!r} is formatted: its text is known only when the graph runs",
            **where(),
            remedy="make a list of it, or print it with tf.print",
        )

    def __repr__(self) -> str:
        trace_text.check("a staged iterable")
        return f"<staged {self._kind}>"

    @property
    def _kind(self) -> str:
        return type(self).__name__.lower().removeprefix("staged")


class Indexed(StagedIterable):
    """Items by their index."""

    __slots__ = ()

    def item(self, index: Any) -> Any:
        raise NotImplementedError

    def has_next(self, state: Any) -> Any:
        return state < self.length()

    def next(self, state: Any) -> tuple[Any, Any]:
        return self.item(state), state + 1


class Rows(Indexed):
    """The rows of a tensor, along its first axis."""

    __slots__ = ("tensor",)
    once = False

    def __init__(self, tensor: Any) -> None:
        super().__init__()
        shape = tensor.static_shape
        if shape == ():
            raise type_error(f"iteration over a scalar tensor: {tensor!r}", "loop over range(x) or a tensor with axes")
        self.tensor = tensor

    def length(self) -> Any:
        return length_of(self.tensor)

    def item(self, index: Any) -> Any:
        return self.tensor[index]


class ListItems(Indexed):
    """The items of a staged list; as in Python, those appended during the loop come too."""

    __slots__ = ("values",)
    once = False

    def __init__(self, values: StagedList) -> None:
        super().__init__()
        self.values = values

    def length(self) -> Any:
        return self.values.length()

    def item(self, index: Any) -> Any:
        return self.values[index]


class SequenceItems(Indexed):
    """The items of a Python sequence, by a staged index."""

    __slots__ = ("staged", "values")
    once = False

    def __init__(self, values: Sequence[Any]) -> None:
        from .elements import PythonList

        super().__init__()
        self.values = values
        self.staged = PythonList(values)

    def length(self) -> Any:
        form = heap.form(self.values)
        return form.length() if isinstance(form, StagedList) else len(self.values)

    def item(self, index: Any) -> Any:
        return self.staged[index]


class StagedRange(Indexed):
    """``range`` with staged bounds; ``stop`` None means without end."""

    __slots__ = ("first", "step", "stop")
    once = False

    def __init__(self, first: Any, stop: Any, step: Any = 1) -> None:
        super().__init__()
        self.first = first
        self.stop = stop
        self.step = step

    def length(self) -> Any:
        span = self.stop - self.first
        count = -(-span // self.step)
        return max(count, 0) if isinstance(count, int) else OPS["maximum"](count, 0)

    def start(self) -> Any:
        return self.first

    def has_next(self, state: Any) -> Any:
        if self.stop is None:
            return True
        if isinstance(self.step, int):
            return state < self.stop if self.step > 0 else state > self.stop
        return OPS["where"](self.step > 0, state < self.stop, state > self.stop)

    def next(self, state: Any) -> tuple[Any, Any]:
        return state, state + self.step

    def item(self, index: Any) -> Any:
        return self.first + index * self.step

    def at(self, index: Any) -> Any:
        """The item at an index, from the end when it is negative.

        Raises:
            IndexError: it is out of range; when the graph runs.
            StagedValueError: it is a slice.
        """
        if isinstance(index, slice):
            raise StagedValueError(
                "a slice of a range with staged bounds",
                **where(),
                remedy="make a list of it first: list(range(n))[a:b]",
            )
        length = self.length()
        inside = OPS["logical_and"](index >= -length, index < length)
        require(inside, IndexError("range object index out of range"))
        return self.item(OPS["where"](index < 0, index + length, index))


class Reversed(Indexed):
    """Indexed items, the last one first: as in Python, the last of those that there are when a loop begins."""

    __slots__ = ("inner",)

    def __init__(self, inner: Indexed) -> None:
        super().__init__()
        self.inner = inner

    def start(self) -> Any:
        return self.length() - 1

    def has_next(self, state: Any) -> Any:
        return OPS["logical_and"](state >= 0, state < self.length())

    def next(self, state: Any) -> tuple[Any, Any]:
        return self.inner.item(state), state - 1

    def length(self) -> Any:
        return self.inner.length()

    def item(self, index: Any) -> Any:
        return self.inner.item(self.length() - 1 - index)


class Zip(StagedIterable):
    """Several iterables side by side, as long as the shortest."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[StagedIterable]) -> None:
        super().__init__()
        self.parts = tuple(parts)

    @property
    def peeks(self) -> bool:
        return any(part.peeks for part in self.parts)

    def start(self) -> Any:
        self.parts = tuple(map(_kept, self.parts))
        for part in self.parts:
            part.begin()
        return tuple(part.start() for part in self.parts)

    def has_next(self, state: Any) -> Any:
        from .conditions import all_of, and_

        if not self.peeks:
            return all_of([part.has_next(each) for part, each in zip(self.parts, state, strict=True)])

        def after(first: int) -> Any:
            if first == len(self.parts):
                return True
            return and_(self.parts[first].has_next(state[first]), lambda: after(first + 1))

        return after(0)

    def next(self, state: Any) -> tuple[Any, Any]:
        pairs = [part.next(each) for part, each in zip(self.parts, state, strict=True)]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


class Enumerate(StagedIterable):
    """Items with their number."""

    __slots__ = ("first", "inner")

    def __init__(self, inner: StagedIterable, first: Any) -> None:
        super().__init__()
        self.inner = inner
        self.first = first

    @property
    def peeks(self) -> bool:
        return self.inner.peeks

    def start(self) -> Any:
        self.inner = _kept(self.inner)
        self.inner.begin()
        return self.first, self.inner.start()

    def has_next(self, state: Any) -> Any:
        return self.inner.has_next(state[1])

    def next(self, state: Any) -> tuple[Any, Any]:
        item, after = self.inner.next(state[1])
        return (state[0], item), (state[0] + 1, after)


class Map(StagedIterable):
    """What a function gives for each item."""

    __slots__ = ("function", "inner")

    def __init__(self, function: Callable[..., Any], parts: Sequence[StagedIterable]) -> None:
        super().__init__()
        self.function = call(function)
        self.inner = Zip(parts)

    @property
    def peeks(self) -> bool:
        return self.inner.peeks

    def start(self) -> Any:
        return self.inner.start()

    def has_next(self, state: Any) -> Any:
        return self.inner.has_next(state)

    def next(self, state: Any) -> tuple[Any, Any]:
        items, after = self.inner.next(state)
        return self.function(*items), after


class Iterator(Map):
    """What ``iter`` gives: the items as they are."""

    __slots__ = ()

    def __init__(self, inner: StagedIterable) -> None:
        super().__init__(_itself, [inner])


def _itself(item: Any) -> Any:
    return item


class Filter(StagedIterable):
    """The items for which a function is true."""

    __slots__ = ("function", "inner")

    def __init__(self, function: Callable[..., Any] | None, inner: StagedIterable) -> None:
        super().__init__()
        self.function = None if function is None else call(function)
        self.inner = inner

    @property
    def peeks(self) -> bool:
        return self.inner.peeks

    def start(self) -> Any:
        self.inner = _kept(self.inner)
        self.inner.begin()
        return self.inner.start()

    def has_next(self, state: Any) -> Any:
        return self.inner.has_next(state)

    def next(self, state: Any) -> tuple[Any, Any]:
        return self.inner.next(state)

    def keeps(self, item: Any) -> Any:
        return truth(item if self.function is None else self.function(item))


def _kept(values: StagedIterable) -> StagedIterable:
    """What stands in another iterable for a filter: a staged list of the items that it keeps."""
    if not isinstance(values, Filter):
        return values
    from .lists import StagedList

    made = StagedList(ListState.of([]))
    made.extend(values)
    return ListItems(made)


def length_of(tensor: Any) -> Any:
    """The first dimension of a tensor: a Python int where it is known."""
    shape = tensor.static_shape
    if shape == ():
        raise type_error("len() of a scalar tensor")
    if shape is not None and shape[0] is not None:
        return shape[0]
    return OPS["shape"](tensor)[0]


def is_staged(value: Any) -> bool:
    """Whether a loop over the value is staged."""
    return isinstance(value, (Tensor, StagedIterable, StagedList, Maybe))


def iterable(value: Any) -> StagedIterable:
    """The staged iterable of a value; Python sequences too, so that they can go beside a tensor.

    Raises:
        TypeError: the value is not iterable.
        StagedValueError: it is an iterator of Python, which can't go forward under a staged condition.
    """
    if isinstance(value, StagedIterable):
        return value
    if isinstance(value, Maybe):
        return iterable(value.ag__checked("is iterated over"))
    if isinstance(value, Tensor):
        is_text = value.dtype is dtypes.string and value.static_shape == ()
        return Rows(apply_text("list", value) if is_text else value)
    if isinstance(value, StagedList):
        value.check_order()
        return ListItems(value)
    if isinstance(value, range):
        return StagedRange(value.start, value.stop, value.step)
    if isinstance(value, (list, tuple, str)):
        return SequenceItems(value)
    if isinstance(value, dict):
        return SequenceItems(list(value))
    items = iter(value)
    raise StagedValueError(
        f"a {type(items).__name__} stands beside a staged iterable, and can't go forward with it",
        **where(),
        remedy="make a list of it first",
    )


def each(values: Any, action: Callable[[Any], Any]) -> None:
    """Calls a function for each item of a Python or staged iterable."""
    from ..control_flow import for_stmt

    def loop_body(item: Any) -> None:
        action(item)

    for_stmt(values, loop_body, ())
