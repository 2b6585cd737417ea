"""tqdm's bars around what a staged loop runs over: `for i in tqdm(tf.range(n))` shows one while the graph runs.

tqdm is known by its classes, where the program has imported it. Around plain values it is left as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

from autograph.errors import StagedAttributeError, StagedValueError
from autograph.runtime.base.streams import Stream
from autograph.runtime.ops.host import progress

from .. import asked
from ..control.errors import where
from ..values.iterables import StagedIterable, Turn, iterable
from .composed_iterables import Iterator
from .python_builtins import range_
from .reading import StreamItems, read_items
from .sequences import is_staged

_OPTIONS = ("iterable", "desc", "total")
"""tqdm's first parameters; it gets the rest as they are."""
_RANGES = ("trange", "tnrange", "tarange")
"""`trange`, as the modules of tqdm call it."""


class Bar(Iterator):
    """The items of another iterable, with a bar that ``make`` gives for their number."""

    __slots__ = ("_bar", "_kinds", "_make", "_total")

    def __init__(self, inner: StagedIterable, make: Callable[[int | None], Any], total: object, kind: type) -> None:
        super().__init__(inner)
        self._make = make
        self._total = total
        self._kinds = kind
        self._bar: Any = None

    def length(self) -> Any:
        return self.inner.length()

    def start(self) -> Any:
        state = super().start()
        self._bar = progress.begin(self._make, self._known_total())
        return state

    def _known_total(self) -> Any:
        if self._total is not None:
            return self._total
        if isinstance(self.inner, StreamItems):  # of a dataset; its iterators don't tell
            count = getattr(self.inner.stream, "cardinality", None)
            return None if count is None else count()
        try:
            return self.inner.length()
        except TypeError:
            return None

    def next(self, state: object) -> tuple[Any, Any]:
        """Beside others, in `zip`, an item counts when it is taken."""
        found = self.inner.next(state)
        progress.turn(self._bar, False)
        return found

    def advance(self, state: object, turn: Turn, carried: object) -> tuple[Any, Any]:
        def take(item: object, given: object) -> Any:
            result = turn.take(item, given)
            left = result
            while isinstance(left, tuple):  # what stands around the bar carries more on than the signal to stop
                left = left[-1]
            progress.turn(self._bar, False if left is None else left)
            return result

        return self.inner.advance(state, turn.after(take), carried)

    def end(self) -> None:
        super().end()
        progress.end(self._bar)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._kinds, name):
            raise AttributeError(name)
        raise StagedAttributeError(
            f"the bar of a staged loop has no `{name}`: it is made anew in each run of the graph",
            **where(),
            construct=name,
            remedy="give tqdm its options where it is called, and show values with tf.print",
        )


def replacement(function: object) -> Callable[..., Any] | None:
    """What to call in place of tqdm's classes and `trange`; None for all others."""
    library = sys.modules.get("tqdm")
    base = getattr(library, "tqdm", None)
    if base is None or not isinstance(base, type):
        return None
    if isinstance(function, type):
        kind: Any = function
        return _around(kind) if issubclass(kind, base) else None
    if not isinstance(function, FunctionType) or function.__name__ not in _RANGES:  # no object of the user's is asked
        return None
    return _over_range(function) if str(function.__module__).startswith("tqdm.") else None


@cache
def _around(kind: Any) -> Callable[..., Any]:
    def bar(*arguments: Any, **keywords: Any) -> Any:
        options = {**dict(zip(_OPTIONS, arguments, strict=False)), **keywords}
        values = options.pop("iterable", None)
        if not is_staged(*options.values()) and not (is_staged(values) or isinstance(values, Stream)):
            return asked.ACTIVE.function().watch_call(kind)(*arguments, **keywords)
        return _bar(kind, values, options, arguments[len(_OPTIONS) :])

    return _unwatched(bar)


@cache
def _over_range(function: Any) -> Callable[..., Any]:
    kind = function.__globals__["tqdm"]

    def bar(*bounds: Any, **keywords: Any) -> Any:
        return _around(kind)(range_(*bounds), **keywords)

    return _unwatched(bar)


def _unwatched(bar: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arguments a staged body may give it: the file that it writes to is moved by the run alone."""
    bar.__module__ = "autograph.operators"
    return bar


def _bar(kind: type, values: Any, options: dict[str, Any], more: tuple[Any, ...]) -> Bar:
    total = options.pop("total", None)
    if values is None or is_staged(*options.values(), *more):
        what = "moves by update()" if values is None else "has an option that only a run knows"
        raise StagedValueError(
            f"a bar of tqdm that {what} can't be shown by a graph",
            **where(),
            construct=kind.__name__,
            remedy="put it around what a loop runs over, as in `for i in tqdm(tf.range(n))`, with options of Python's",
        )
    return Bar(iterable(read_items(values)), partial(_made, kind, options, more), total, kind)


def _made(kind: type, options: dict[str, Any], more: tuple[Any, ...], total: int | None) -> Any:
    known = {"desc": None, **options}
    return kind(None, known.pop("desc"), total, *more, **known)
