"""Names of devices, as TensorFlow writes them, and what stands behind arrays that are on one."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from autograph.errors import InvalidArgumentError

__all__ = ["HOST", "NAMES", "Device", "device_of", "kind_of", "parsed"]

KINDS = ("CPU", "GPU", "TPU")


class Device(NamedTuple):
    """A device of this process: its kind, and which of that kind."""

    kind: str
    number: int

    @property
    def name(self) -> str:
        """The name in full, as ``x.device`` gives it."""
        return f"/job:localhost/replica:0/task:0/device:{self.kind}:{self.number}"

    @property
    def short(self) -> str:
        """The name as messages have it: ``GPU:0``."""
        return f"{self.kind}:{self.number}"


HOST = Device("CPU", 0)
"""Where Python and NumPy are."""
NAMES: dict[Any, Device] = {}
"""The devices by what stands for them in JAX, once JAX has started; see `engines.xla.machine`."""


_PLATFORMS = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}
"""The kinds of devices by the names that JAX has for them."""


def kind_of(device: Any) -> str:
    """The kind of one of JAX's devices."""
    return _PLATFORMS.get(device.platform, device.platform.upper())


def device_of(held: Any) -> Device:
    """The device that holds an array of JAX's; the first one where it lies on several."""
    found = NAMES.get(held.device)
    if found is None:
        first = min(held.devices(), key=lambda device: device.id)
        found = NAMES.get(first) or Device(kind_of(first), first.id)
    return found


_DEVICE = re.compile(
    r"(?:/?job:(?P<job>[A-Za-z_][\w.-]*))?(?:/replica:(?P<replica>\d+|\*))?(?:/task:(?P<task>\d+|\*))?"
    r"(?:/?(?:device:)?(?P<kind>[A-Za-z]+)(?::(?P<index>\d+|\*))?)?",
    re.IGNORECASE,
)


def parsed(name: str, around: Device | None) -> Device | None:
    """The device that a name means: ``"/GPU:0"``, ``"gpu"``, ``"/job:localhost/replica:0/task:0/device:CPU:1"``.

    around: the device that counts otherwise; a name without one of its own, as ``"/job:localhost"``, leaves it so.
    Raises `InvalidArgumentError` for what is no name, and for those of other processes.
    """
    found = _DEVICE.fullmatch(name)
    kind = None if found is None else found["kind"]
    if found is None or (kind is not None and kind.upper() not in KINDS):
        unknown = name if found is None else kind
        raise InvalidArgumentError(
            f"Unknown attribute {unknown!r} is encountered while parsing the device spec: {name!r}.",
            remedy="write it as '/CPU:0', 'GPU:1', '/job:localhost/replica:0/task:0/device:GPU:0'",
        )
    if (found["job"] or "localhost").lower() != "localhost" or {found["replica"], found["task"]} - {None, "0", "*"}:
        raise InvalidArgumentError(
            f"{name} unknown device.", remedy="name a device of this process, as '/CPU:0' or '/GPU:0'"
        )
    if kind is None:
        return around
    index = found["index"]
    return Device(kind.upper(), 0 if index in (None, "*") else int(index))
