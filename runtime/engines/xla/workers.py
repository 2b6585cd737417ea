"""Processes that run the same programs together, each on devices of its own, over `jax.distributed`."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import jax
import numpy as np
from jax.experimental import multihost_utils

from autograph.errors import FailedPreconditionError, UnavailableError

from ...base.devices import PLATFORMS
from . import machine

__all__ = ["connected", "exchanged"]

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
        return _device_names(), jax.process_index()
    machine.refuse_late("the processes of a cluster")
    machine.configure("jax_cpu_collectives_implementation", "gloo")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
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
    return _device_names(), jax.process_index()


def _device_names() -> list[list[str]]:
    found: list[list[str]] = [[] for _ in range(jax.process_count())]
    for each in sorted(jax.devices(), key=lambda device: (device.process_index, device.id)):
        own = found[each.process_index]
        kind = PLATFORMS.get(each.platform, each.platform.upper()).lower()
        own.append(f"worker:{each.process_index}/{kind}:{len(own)}")
    return found


def exchanged(given: bytes) -> list[bytes]:
    """What each process gives, in their order; all have to call it."""
    with _lock:
        mine = np.frombuffer(given, np.uint8)
        lengths = multihost_utils.process_allgather(np.array([len(mine)], np.int32)).reshape(-1)
        room = np.zeros(max(1, int(lengths.max())), np.uint8)
        room[: len(mine)] = mine
        rows = multihost_utils.process_allgather(room).reshape(len(lengths), -1)
    return [row[:length].tobytes() for row, length in zip(rows, lengths, strict=True)]
