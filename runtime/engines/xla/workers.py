"""Processes that run the same programs together, each on devices of its own, over `jax.distributed`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils

from autograph.errors import FailedPreconditionError, UnavailableError

from ...base.devices import kind_of
from . import machine

__all__ = ["connected", "device_of_worker", "exchanged", "is_of_worker"]

_lock = threading.Lock()


def connected(addresses: Sequence[str], number: int, timeout: int) -> tuple[list[list[str]], int]:
    """Meet the other processes, at the address of the first; once in a process.

    Returns the names of the devices of each process, such as ``"worker:1/cpu:0"`` (accelerators where there are some),
    and the number of this process.

    addresses: of all processes; none: as the environment of the cluster says, which JAX looks into. ``timeout``: how
    many seconds to wait for them.

    Raises `FailedPreconditionError` where JAX has started, or has met others; `UnavailableError` where not all come.
    """
    if jax.distributed.is_initialized():
        if addresses and (jax.process_count(), jax.process_index()) != (len(addresses), number):
            raise FailedPreconditionError(
                f"this process is number {jax.process_index()} of {jax.process_count()} for jax.distributed, and "
                f"{number} of {len(addresses)} for the strategy",
                remedy="let one of them connect the processes: leave out jax.distributed.initialize, or TF_CONFIG",
            )
        return _names(), jax.process_index()
    machine.refuse_late("the processes of a cluster")
    machine.configure("jax_cpu_collectives_implementation", "gloo")
    try:
        if addresses:
            jax.distributed.initialize(addresses[0], len(addresses), number, initialization_timeout=timeout)
        else:
            jax.distributed.initialize(initialization_timeout=timeout)
    except (RuntimeError, ValueError) as error:
        raise UnavailableError(
            f"the processes of the cluster have not met in {timeout} s: {str(error).splitlines()[0]}",
            remedy="start all of them, each with its own task index, and see that the first one's address is free, "
            "and can be reached by all",
        ) from None
    return _names(), jax.process_index()


def _names() -> list[list[str]]:
    return [list(_devices(worker)) for worker in range(jax.process_count())]


def _devices(worker: int) -> dict[str, Any]:
    """The devices of a process, by their names."""
    own = sorted((each for each in jax.devices() if each.process_index == worker), key=lambda each: each.id)
    return {f"worker:{worker}/{kind_of(each).lower()}:{number}": each for number, each in enumerate(own)}


def is_of_worker(name: str) -> bool:
    """Whether a device's name is one of `connected`."""
    return name.startswith("worker:")


def device_of_worker(name: str) -> Any:
    """JAX's object for a device by its name. Raises `KeyError` for one that is not there."""
    return _devices(int(name.partition("/")[0].partition(":")[2]))[name]


def exchanged(given: bytes) -> list[bytes]:
    """What each process gives, in their order; all have to call it."""
    with _lock:
        mine = np.frombuffer(given, np.uint8)
        lengths = multihost_utils.process_allgather(np.array([len(mine)], np.int32)).reshape(-1)
        room = np.zeros(max(1, int(lengths.max())), np.uint8)
        room[: len(mine)] = mine
        rows = multihost_utils.process_allgather(room).reshape(len(lengths), -1)
    return [row[:length].tobytes() for row, length in zip(rows, lengths, strict=True)]
