"""What is left of a Python loop when the run decides whether a turn has left it by `break`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograph.errors import StagingError

from ..dispatch import Options
from ..staging.heap.locations import where
from .branches import if_stmt
from .library import Library
from .loops import Signal, for_stmt, signal

_MOST = 5000
_CONTAINERS: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), set(), "", b"")
_PLAIN = frozenset(map(type, map(iter, _CONTAINERS)))
_OVER_OTHERS = (enumerate, zip, reversed)


def for_rest(
    library: Library, stop: Signal, iterator: Iterator[Any], body: Callable[[Any], Any], names: tuple[str, ...],
    options: Options,
) -> Any:  # fmt: skip
    """Continues a loop over a Python iterator; ``stop`` says whether it has been left."""
    while stop is False:
        item = next(iterator, _END)
        if item is _END:
            return False
        stop = signal(library, body(item))
    if stop is True:
        return True
    rest = _rest_of_range(iterator)
    if rest is not None:
        return for_stmt(library, rest, body, names, options, stop)
    if not _is_plain(iterator):
        raise StagingError(
            f"a loop over a {type(iterator).__name__} is left by a `break` that only the run knows of; to find its "
            "items may run code that the run should not",
            **where(),
            construct="for",
            remedy="loop over a list of its items, a range, or an array",
        )
    for _ in range(_MOST):
        item = next(iterator, _END)
        if item is _END:
            return stop
        stop = if_stmt(library, stop, lambda: True, partial(_signal_of, library, body, item), names, (body,))
    raise StagingError(
        f"a Python iterator with a staged `break` has more than {_MOST} items",
        **where(),
        construct="for",
        remedy="loop over an array, or over a range",
    )


def _signal_of(library: Library, body: Callable[[Any], Any], item: object) -> Any:
    return signal(library, body(item))


_END = object()


def _is_plain(iterator: Any) -> bool:
    """Whether finding an item runs no code of the user's."""
    if type(iterator) in _PLAIN:
        return True
    if type(iterator) not in _OVER_OTHERS:
        return type(iterator).__name__ in ("list_reverseiterator", "dict_reversekeyiterator")
    inner = iterator.__reduce__()[1]
    return all(_is_plain(each) for each in inner if hasattr(each, "__next__"))


def _rest_of_range(iterator: Any) -> range | None:
    if type(iterator).__name__ not in ("range_iterator", "longrange_iterator"):
        return None
    _, arguments, *position = iterator.__reduce__()
    found: range = arguments[0]
    return found[position[0] or 0 :] if position else found
