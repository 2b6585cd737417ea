"""When JAX is tracing what converted code does, and what must not change any more until that ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from autograph.errors import MutationError, StagedValueError

from ..dispatch import open_traces
from ..staging.heap.locations import where
from ..staging.heap.snapshots import Snapshot, copy_of, difference
from . import internals


class _Local(threading.local):
    def __init__(self) -> None:
        self.calls = 0
        self.bodies = 0
        self.uncertain: dict[int, Any] = {}
        self.sealed: dict[int, tuple[Snapshot, dict[str, Any]]] = {}


_local = _Local()


def traces() -> bool:
    """Whether JAX is tracing on this thread."""
    return not internals.trace_state_clean()


def is_open() -> bool:
    """Whether converted code runs on this thread that JAX traces."""
    return _local.calls > 0


def in_body() -> bool:
    """Whether the body of a staged branch or loop is being traced on this thread."""
    return _local.bodies > 0


@contextmanager
def opened() -> Iterator[None]:
    """Stands around a call of a converted function that JAX traces.

    Raises:
        MutationError: it has changed what a staged branch or loop has made a value of.
    """
    _local.calls += 1
    open_traces.append(_local)
    try:
        yield
        if _local.calls == 1:
            check_sealed()
    finally:
        _local.calls -= 1
        open_traces.remove(_local)
        if not _local.calls:
            _local.sealed.clear()
            _local.uncertain.clear()


@contextmanager
def body() -> Iterator[None]:
    """Stands around the trace of a body."""
    _local.bodies += 1
    try:
        yield
    finally:
        _local.bodies -= 1


def seal(obj: object, label: str) -> None:
    """Notes that an object may be one of several, as a run decides: it must hold the same until the trace ends."""
    if id(obj) not in _local.sealed:
        copy = copy_of(obj)
        _local.sealed[id(obj)] = Snapshot(obj, copy, label, True), where()


def uncertain(value: Any) -> Any:
    """Notes that a value stands for one of several, as a run decides; returns it."""
    _local.uncertain[id(value)] = value
    return value


def check_identity(one: object, other: object) -> None:
    """Refuses to tell whether two values are one object, where a run decides which object one of them is.

    Raises:
        StagedValueError: that can't be told.
    """
    if one is other or not (id(one) in _local.uncertain or id(other) in _local.uncertain):
        return
    arrays = isinstance(one, _ARRAYS) and isinstance(other, _ARRAYS)
    kind = "arrays" if arrays else f"of class {type(one).__name__}"
    if arrays or type(one) is type(other):
        raise StagedValueError(
            f"`is` compares two values ({kind}) of which a branch or a loop that JAX stages has chosen one: whether "
            "they are one object only the run knows",
            **where(),
            construct="is",
            remedy="compare what they hold, or keep in a variable which was chosen",
        )


_ARRAYS = (jax.Array, np.ndarray)


def check_sealed() -> None:
    """Refuses that such an object has been changed.

    Raises:
        MutationError: one has.
    """
    for snapshot, place in _local.sealed.values():
        if next(difference(snapshot, _is_same), None) is not None:
            kind = "NumPy array" if isinstance(snapshot.obj, np.ndarray) else type(snapshot.obj).__name__
            name = f" {snapshot.label}" if "`" in snapshot.label else ""
            raise MutationError(
                f"the {kind}{name} is changed after the branch or loop of this line, which JAX stages, has "
                "made a value of it: only the run knows which object has that name, and other names of it would not "
                "see the change",
                **place,
                construct=kind,
                remedy="change a copy: list(x), {**x}, x.copy(), dataclasses.replace(x, …)",
            )


def _is_same(new: object, old: object) -> bool:
    return new is old


def check_is_one(value: jax.Array) -> None:
    """Refuses an array of several values where one truth is wanted.

    Raises:
        StagedValueError: it is one.
    """
    if value.size != 1:
        raise StagedValueError(
            f"the truth of an array of shape {value.shape} is not one value",
            **where(),
            construct="if",
            remedy="say which is meant: x.any() or x.all(); `jnp.where` chooses value by value",
        )
