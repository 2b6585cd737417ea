"""When a library is tracing what converted code does, and what must not change any more until that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.errors import MutationError, StagedValueError

from ..dispatch import open_traces
from ..staging.heap.locations import where
from ..staging.heap.snapshots import Snapshot, copy_of, difference
from .library import Library


def is_open(library: Library) -> bool:
    """Whether converted code runs on this thread that the library traces."""
    return library.local.calls > 0


def in_body(library: Library) -> bool:
    """Whether the body of a staged branch or loop is being traced on this thread."""
    return library.local.bodies > 0


@contextmanager
def opened(library: Library) -> Iterator[None]:
    """Stands around a call of a converted function that the library traces.

    Raises:
        MutationError: it has changed what a staged branch or loop has made a value of.
    """
    library.local.calls += 1
    open_traces.append(library.local)
    try:
        yield
        if library.local.calls == 1:
            check_sealed(library)
    finally:
        library.local.calls -= 1
        open_traces.remove(library.local)
        if not library.local.calls:
            library.local.sealed.clear()
            library.local.uncertain.clear()


@contextmanager
def body(library: Library) -> Iterator[None]:
    """Stands around the trace of a body."""
    library.local.bodies += 1
    try:
        yield
    finally:
        library.local.bodies -= 1


def seal(library: Library, obj: object, label: str) -> None:
    """Notes that an object may be one of several, as a run decides: it must hold the same until the trace ends."""
    if id(obj) not in library.local.sealed:
        copy = copy_of(obj)
        library.local.sealed[id(obj)] = Snapshot(obj, copy, label, True), where()


def uncertain(library: Library, value: Any) -> Any:
    """Notes that a value stands for one of several, as a run decides; returns it."""
    library.local.uncertain[id(value)] = value
    return value


def check_identity(library: Library, one: object, other: object) -> None:
    """Refuses to tell whether two values are one object, where a run decides which object one of them is.

    Raises:
        StagedValueError: that can't be told.
    """
    if one is other or not (id(one) in library.local.uncertain or id(other) in library.local.uncertain):
        return
    arrays = all(library.is_array(each) or isinstance(each, np.ndarray) for each in (one, other))
    kind = "arrays" if arrays else f"of class {type(one).__name__}"
    if arrays or type(one) is type(other):
        raise StagedValueError(
            f"`is` compares two values ({kind}) of which a branch or a loop that {library.name} stages has chosen one: "
            "whether they are one object only the run knows",
            **where(),
            construct="is",
            remedy="compare what they hold, or keep in a variable which was chosen",
        )


def check_sealed(library: Library) -> None:
    """Refuses that such an object has been changed.

    Raises:
        MutationError: one has.
    """
    for snapshot, place in library.local.sealed.values():
        if next(difference(snapshot, _is_same), None) is not None:
            kind = "NumPy array" if isinstance(snapshot.obj, np.ndarray) else type(snapshot.obj).__name__
            name = f" {snapshot.label}" if "`" in snapshot.label else ""
            raise MutationError(
                f"the {kind}{name} is changed after the branch or loop of this line, which {library.name} stages, has "
                "made a value of it: only the run knows which object has that name, and other names of it would not "
                "see the change",
                **place,
                construct=kind,
                remedy="change a copy: list(x), {**x}, x.copy(), dataclasses.replace(x, …)",
            )


def _is_same(new: object, old: object) -> bool:
    return new is old
