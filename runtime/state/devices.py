"""`tf.config`'s view of the machine: one CPU, and the threads of matrix products."""

from __future__ import annotations

import re
import types
import warnings
from typing import Any, NamedTuple

from autograph.errors import InvalidArgumentError

from ..base import threads

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "check_device_name", "experimental",
    "get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices", "list_logical_devices",
    "list_physical_devices", "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices",
    "threading",
]  # fmt: skip

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class PhysicalDevice(NamedTuple):
    """A device of the machine: its name and its type, such as "CPU"."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that computations run on: its name and its type."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """Settings of a logical device; accepted as in TensorFlow."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_PHYSICAL, _LOGICAL = PhysicalDevice("/physical_device:CPU:0", "CPU"), LogicalDevice("/device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine, or those of a type: one CPU. ``list_physical_devices("GPU")`` is empty."""
    return [_PHYSICAL] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that computations run on, or those of a type: one CPU."""
    return [_LOGICAL] if device_type in (None, "CPU") else []


get_visible_devices = list_physical_devices


def set_visible_devices(devices: object, device_type: str | None = None) -> None:
    """Accepted as in TensorFlow, as long as the CPU stays visible; `ValueError` otherwise."""
    wanted = [] if devices is None else devices if isinstance(devices, (list, tuple)) else [devices]
    unknown = [each for each in wanted if each != _PHYSICAL]
    if unknown:
        raise InvalidArgumentError(f"Unrecognized device: {unknown[0]!r}")
    if device_type in (None, "CPU") and not wanted:
        raise InvalidArgumentError("the CPU can't be made invisible: everything runs on it")


def get_logical_device_configuration(device: object) -> None:
    """None: the CPU is one logical device."""


def set_logical_device_configuration(device: object, logical_devices: Any) -> None:
    """Accepted for one logical device; `ValueError` for more, as everything runs on one."""
    if logical_devices is not None and len(logical_devices) != 1:
        raise InvalidArgumentError("the CPU is one logical device: several are not supported")


def get_soft_device_placement() -> bool:
    """True: what is asked of a device that is not there runs on the CPU."""
    return True


def set_soft_device_placement(enabled: bool) -> None:
    """Accepted for True; `ValueError` for False."""
    if not enabled:
        raise InvalidArgumentError("everything runs on the CPU, whatever device is asked for")


_DEVICE = re.compile(
    r"(/?job:[A-Za-z_][\w.-]*)?(/replica:(\d+|\*))?(/task:(\d+|\*))?(/?(device:)?([A-Za-z_]+):(\d+|\*))?",
    re.IGNORECASE,
)


def check_device_name(name: str) -> None:
    """Raise `ValueError` for what is no name of a device: ``"/CPU:0"``, ``"GPU:1"``, ``"/job:worker/task:0"`` are."""
    if not _DEVICE.fullmatch(name):
        raise InvalidArgumentError(
            f"Unknown attribute {name!r} is encountered while parsing the device spec: {name!r}."
        )


class _Threading(types.SimpleNamespace):
    """`tf.config.threading`."""

    @staticmethod
    def get_intra_op_parallelism_threads() -> int:
        """The threads of one matrix product of NumPy's; 0 where that is not known (without the extra `threads`)."""
        found = threads.pool()
        return 0 if found is None else int(found.get_num_threads())

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """Set the threads of one large matrix product of NumPy's, in this process; see `runtime.base.threads`.

        Without the extra `threads` (threadpoolctl) they stay as they are, with a warning.
        """
        if num_threads > 0 and threads.pool() is None:
            text = "the threads of matrix products stay as they are: pip install 'autograph-py[threads]'"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        elif num_threads > 0:
            threads.set_number(num_threads)

    @staticmethod
    def get_inter_op_parallelism_threads() -> int:
        """0: operations run one after the other."""
        return 0

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Accepted as in TensorFlow: operations run one after the other."""


threading = _Threading()


class _Experimental(types.SimpleNamespace):
    """`tf.config.experimental`."""

    get_visible_devices = staticmethod(get_visible_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    list_physical_devices = staticmethod(list_physical_devices)
    set_visible_devices = staticmethod(set_visible_devices)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration

    @staticmethod
    def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
        """Raises `ValueError`: memory of the CPU grows by itself."""
        raise InvalidArgumentError("Cannot set memory growth on non-GPU and non-Pluggable devices")

    @staticmethod
    def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
        """What is known of a device besides: nothing."""
        return {}

    @staticmethod
    def enable_op_determinism() -> None:
        """Accepted as in TensorFlow: all operations are deterministic."""

    @staticmethod
    def get_synchronous_execution() -> bool:
        """True: operations are done when they return."""
        return True

    @staticmethod
    def set_synchronous_execution(enable: bool) -> None:
        """Accepted as in TensorFlow: operations are done when they return."""


experimental = _Experimental()
