"""What code that is not converted can reach may be more than a trace looks through.

In a staged body all that it changes is taken back, and an array that staged code has changed it must not read: what is
too much there is refused. Otherwise the code does what it does, once: only to trace the function again is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from autograph.errors import MutationError
from autograph.runtime.base.places import Place

from ..heap import reach, state
from ..heap.array_memory import any_forms
from . import effects

_MOST_IN_ALL = 500_000
"""Objects that are looked at for all calls of a trace; for more it takes seconds."""


def changeable(roots: Iterable[Any], where: Place | None) -> Sequence[Any]:
    """What code at `where` may change that can reach some objects; nothing where it is too much.

    Raises:
        MutationError: it is too much, and matters at once.
    """
    is_needed = effects.is_in_body() or any_forms()
    if _is_beyond_reach() and not is_needed:
        return ()
    found = reach.all_reachable(roots)
    if found is None and is_needed:
        raise reach.too_many("whether one of them changes can't be told", where)
    if found is None or _look_at(len(found)) > _MOST_IN_ALL:
        again = "this function has to be traced more than once, which would change it each time"
        _reach_too_far(reach.too_many(f"whether one of them has changed can't be told, and {again}", where))
    return found or ()


def _reach_too_far(error: MutationError) -> None:
    """Notes that code has run of which it can't be told what it changes: at the top of a trace, which is made once."""
    for journal in state.stack():
        journal.too_far = journal.too_far or error


def _look_at(count: int) -> int:
    """Notes that so many objects have been looked at for a call; returns how many that are in the outermost trace."""
    for journal in state.stack():
        journal.looked_at += count
    return max((journal.looked_at for journal in state.stack()), default=0)


def _is_beyond_reach() -> bool:
    """Whether such code has run in all open traces, so that it serves nothing to know what more of it changes."""
    return all(journal.too_far is not None for journal in state.stack())
