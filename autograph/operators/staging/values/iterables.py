"""What a staged loop runs over: the rows of a tensor, the items of lists, a range with staged bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from autograph.errors import StagedValueError, StagingError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.tensors import trace_text
from autograph.runtime.tensors.tensor import Tensor

from ...control_flow import for_stmt
from .. import asked
from ..control.errors import require, type_error, where
from ..heap import heap
from .elements import PythonList
from .lists import StagedList
from .maybe import Maybe


class Turn:
    """What becomes of an item: ``take(item, carried)`` gives what the turn after it gets as ``carried``.

    ``names`` are the variables of the user's ``bodies`` that may change in it.
    """

    __slots__ = ("bodies", "names", "take")

    def __init__(
        self, take: Callable[[Any, Any], Any], bodies: tuple[Callable[..., Any], ...], names: tuple[str, ...]
    ) -> None:
        self.take = take
        self.bodies = bodies
        self.names = names

    def after(self, take: Callable[[Any, Any], Any]) -> Turn:
        """Something that is done with an item, and ends with this turn."""
        return Turn(take, self.bodies, self.names)

    def under(self, test: object, run: Callable[[], Any], otherwise: object) -> Any:
        """What `run` gives where a test, maybe staged, is true."""
        return asked.IF_STMT.function(test, run, lambda: otherwise, self.names, self.bodies)


class StagedIterable:
    """Something that a staged loop runs over: a state that goes from item to item."""

    __slots__ = ("used",)
    __hash__ = None  # type: ignore[assignment]
    once = True
    """Python's counterpart is an iterator, which runs only once."""

    peeks = False
    """Whether `has_next` makes the next item already, which must not happen when the loop has been left."""
    calls = False
    """Whether functions of the user are called for an item, so that the order in which items are made shows."""
    skips = False
    """Whether a step may give no item."""

    def __init__(self) -> None:
        self.used = False

    def start(self) -> Any:
        """The state before the first item."""
        return 0

    def has_next(self, state: object) -> Any:
        """Whether there is another item: a bool, maybe staged."""
        raise NotImplementedError

    def next(self, state: object) -> tuple[Any, Any]:
        """The next item, and the state after it, where no function of the user is called for the item."""
        after, item = self.advance(state, Turn(lambda item, _: item, (), ()), None)
        return item, after

    def advance(self, state: object, turn: Turn, carried: object) -> tuple[Any, Any]:
        """Goes on by a step, with a turn if that gives an item: the state after it, and what the turn carries on.

        Each kind of iterable has either this or `next`.
        """
        item, after = self.next(state)
        return after, turn.take(item, carried)

    def length(self) -> Any:
        raise TypeError(f"object of type {self._kind!r} has no len()")

    def at(self, index: object) -> Any:
        """The item at an index, as in ``x[i]``."""
        raise TypeError(f"{self._kind!r} object is not subscriptable")

    def __getitem__(self, index: object) -> Any:
        return self.at(index)

    def begin(self) -> None:
        """Called when a loop starts.

        Raises:
            StagingError: the iterator has been run over before, so that in Python it would be used up.
        """
        if self.used:
            raise StagingError(
                "a staged iterator (iter, zip, map, filter, enumerate, reversed) is run over for the second time",
                **where(),
                remedy="make a new one for each loop",
            )
        self.used = self.once

    def end(self) -> None:
        """Called when a loop has ended, if it was begun."""

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

    def item(self, index: object) -> Any:
        raise NotImplementedError

    def has_next(self, state: object) -> Any:
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

    def item(self, index: object) -> Any:
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

    def item(self, index: object) -> Any:
        return self.values[index]


class SequenceItems(Indexed):
    """The items of a Python sequence, by a staged index."""

    __slots__ = ("staged", "values")
    once = False

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__()
        self.values = values
        self.staged = PythonList(values)

    def length(self) -> Any:
        form = heap.form(self.values)
        return form.length() if isinstance(form, StagedList) else len(self.values)

    def item(self, index: object) -> Any:
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

    def has_next(self, state: object) -> Any:
        if self.stop is None:
            return True
        if isinstance(self.step, int):
            return state < self.stop if self.step > 0 else state > self.stop
        return OPS["where"](self.step > 0, state < self.stop, state > self.stop)

    def next(self, state: object) -> tuple[Any, Any]:
        return state, state + self.step

    def item(self, index: object) -> Any:
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


@asked.LENGTH_OF.give
def length_of(tensor: Any) -> Any:
    """The first dimension of a tensor: a Python int where it is known."""
    shape = tensor.static_shape
    if shape == ():
        raise type_error("len() of a scalar tensor", "write range(x) to count up to x, or len() of a tensor with axes")
    if shape is not None and shape[0] is not None:
        return shape[0]
    return OPS["shape"](tensor)[0]


def is_staged(value: object) -> bool:
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
        f"an iterator of Python ({type(items).__name__}) stands beside a staged iterable, and can't go forward with it",
        **where(),
        remedy="make a list of it first",
    )


@asked.EACH.give
def each(values: Any, action: Callable[[Any], Any]) -> None:
    """Calls a function for each item of a Python or staged iterable."""

    def loop_body(item: object) -> None:
        action(item)

    for_stmt(values, loop_body, ())
