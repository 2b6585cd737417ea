"""Assignments are atomic: what a variable holds is replaced in one step, by any number of threads.

An array that a variable holds is never written into: an assignment replaces it. So reading takes no lock, and gives all
of one value. What is made of the old value (`change`: ``assign_add``, a scatter update, a draw of random numbers) is
computed first; then, under the one lock that all assignments share, it takes the old value's place if that is still
there, and is computed again if it is not. Machine code does the same with all of its variables at once (see
`engines.transaction`).

The lock is held for as long as it takes to compare and to store, except by one who has been forestalled, who keeps it
for one kernel. Nobody waits for anything else while holding it, so that there is nothing to wait for in a circle; and
it lets its own thread in again, because signal handlers and finalizers may assign too, at any place.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["change", "lock"]

lock = threading.RLock()
"""Is held whenever what a variable holds is replaced."""
if hasattr(os, "register_at_fork"):  # a child has only the thread that forked: the lock must not be another's then
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def change(target: Any, function: Callable[..., Any], *rest: object) -> Any:
    """Let a variable hold ``function(target, old, *rest)``, an array; returns the old array."""
    old = target.array
    new = function(target, old, *rest)
    with lock:
        while target.array is not old:  # between this and the next line nothing of this thread can come either
            old = target.array
            new = function(target, old, *rest)
        target.array = new
    return old
