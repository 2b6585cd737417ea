"""`tf.config`'s view of the machine: its devices, how they are divided, and the threads of matrix products.

Without JAX (the extra ``xla``) there is one CPU. With it, JAX says which devices there are. It is loaded when that is
asked for and there is a sign of an accelerator, or when virtual devices have been asked for; what is to be set has to
be set before, at the start of a program.
"""

from __future__ import annotations

import functools
import os
import types
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.errors import InvalidArgumentError, MissingExtraError, UnimplementedError

from ..base import threads
from ..base.devices import HOST, Device, parsed
from ..engines.engine import is_installed
from ..engines.xla import machine

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental",
    "get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices", "list_logical_devices",
    "list_physical_devices", "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices",
    "threading",
]  # fmt: skip


class PhysicalDevice(NamedTuple):
    """A device of the machine: its name and its type, such as "CPU"."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that computations run on: its name and its type."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """Settings of a logical device, which is one of several that a device is divided into.

    Limits of memory and priorities are refused where they are used: JAX has none.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class _Wishes:
    """What a program has set."""

    soft_placement = False
    visible: list[PhysicalDevice] | None = None
    divided: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}  # noqa: RUF012 (there is one program)
    grows: bool | None = None


@functools.cache
def _accelerators() -> tuple[PhysicalDevice, ...]:
    """The accelerators of the machine, as they are found when they are first asked for.

    GPUs of NVIDIA are counted without JAX, which would take their memory when it starts.
    """
    count = machine.gpus_seen()
    if count and not machine.started():
        return tuple([PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(count)])
    if not machine.started() and not machine.has_sign():
        return ()
    found = [each for each in machine.devices() if each.kind != "CPU"]
    return tuple([PhysicalDevice(f"/physical_device:{each.kind}:{each.number}", each.kind) for each in found])


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine, or those of a type ("CPU", "GPU", "TPU"): one CPU, and the accelerators.

    GPUs of NVIDIA are found by the files of their driver, so that JAX does not start. An accelerator that JAX has no
    plugin for is not listed: nothing here could run on it.
    """
    found = [_CPU, *([] if device_type == "CPU" else _accelerators())]
    return [each for each in found if device_type in (None, each.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that computations run on, or those of a type. Accelerators are listed as JAX, which starts, has them.

    The CPU is several where `set_logical_device_configuration` or JAX's own settings say so.
    """
    has_more_cpus = machine.asks_for_cpus() and is_installed("jax")
    starts = device_type != "CPU" and bool(_accelerators())
    known = list(machine.devices()) if machine.started() or has_more_cpus or starts else [HOST]
    found = [LogicalDevice(f"/device:{each.short}", each.kind) for each in known]
    return [each for each in found if device_type in (None, each.device_type)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that are used, or those of a type."""
    found = list_physical_devices() if _Wishes.visible is None else _Wishes.visible
    return [each for each in found if device_type in (None, each.device_type)]


def _listed(devices: object) -> list[PhysicalDevice]:
    is_list = isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice)
    wanted: list[Any] = [] if devices is None else list(devices) if is_list else [devices]  # type: ignore[call-overload]
    unknown = [each for each in wanted if each not in list_physical_devices()]
    if unknown:
        raise InvalidArgumentError(
            f"Unrecognized device: {unknown[0]!r}", remedy="take it from tf.config.list_physical_devices()"
        )
    return wanted


def set_visible_devices(devices: object, device_type: str | None = None) -> None:
    """Use these devices only, of a type or of all types; ``set_visible_devices([], "GPU")`` hides the GPUs.

    Raises `ValueError` for devices that there are not, and where the CPU would not be seen; `RuntimeError` when JAX has
    started.
    """
    wanted = _listed(devices)
    if device_type in (None, "CPU") and _CPU not in wanted:
        raise InvalidArgumentError("the CPU can't be made invisible: Python runs on it")
    others = [each for each in get_visible_devices() if device_type not in (None, each.device_type)]
    now = [each for each in list_physical_devices() if each in wanted or each in others]
    if now == get_visible_devices():
        return
    machine.refuse_late("Visible devices")
    seen = [each for each in now if each != _CPU]
    machine.configure("jax_platforms", None if seen else "cpu")
    indices = ",".join(each.name.rpartition(":")[2] for each in seen)
    machine.configure("jax_cuda_visible_devices", indices if len(seen) < len(_accelerators()) and seen else "all")
    _Wishes.visible = now


def get_logical_device_configuration(device: object) -> list[LogicalDeviceConfiguration] | None:
    """The settings of the logical devices that a device is divided into; None: it is one."""
    return _Wishes.divided.get(_listed(device)[0])


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration] | None
) -> None:
    """Divide the CPU into several devices: to try on one machine what is to run on many.

    >>> cpu = list_physical_devices("CPU")[0]
    >>> set_logical_device_configuration(cpu, [LogicalDeviceConfiguration()])
    >>> list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]

    Raises `RuntimeError` when JAX has started, `ImportError` where it is not installed, `ValueError` for what it can't
    do: to divide other devices, or to limit the memory of one.
    """
    (physical,) = _listed(device)
    wanted = list(logical_devices or [LogicalDeviceConfiguration()])
    if any(each != LogicalDeviceConfiguration() for each in wanted):
        raise InvalidArgumentError(
            "limits of memory and priorities of logical devices are not supported",
            remedy="leave them out; XLA_PYTHON_CLIENT_MEM_FRACTION=.50 limits what JAX takes of a GPU's memory",
        )
    if physical != _CPU and len(wanted) > 1:
        raise InvalidArgumentError(f"{physical.name} can't be divided: only the CPU can")
    if len(wanted) != len(_Wishes.divided.get(physical, [None])):
        _divide_cpu(len(wanted))
    _Wishes.divided[physical] = wanted
    if logical_devices is None:
        del _Wishes.divided[physical]


def _divide_cpu(count: int) -> None:
    if not is_installed("jax"):
        raise MissingExtraError("several logical devices need jax", remedy="pip install 'autograph-py[xla]'")
    machine.refuse_late("Virtual devices")
    machine.configure("jax_num_cpu_devices", count)


def get_soft_device_placement() -> bool:
    """Whether the CPU stands in for devices that are not there; see `set_soft_device_placement`."""
    return _Wishes.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """True: what `tf.device` asks of a device that is not there runs on the CPU. False, as at first: it is an error.

    At first TensorFlow's is True.
    """
    _Wishes.soft_placement = bool(enabled)


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
    get_virtual_device_configuration = staticmethod(get_logical_device_configuration)
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration

    @staticmethod
    def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
        """True: JAX takes memory of GPUs as it needs it; False, as at first: three quarters of it when it starts.

        It counts for all GPUs together. Raises `ValueError` for a CPU, whose memory grows by itself, `RuntimeError`
        when JAX has started.
        """
        (physical,) = _listed(device)
        if physical.device_type != "GPU":
            raise InvalidArgumentError("Cannot set memory growth on non-GPU and non-Pluggable devices")
        if enable == (_Wishes.grows or False):
            return
        machine.refuse_late("Physical devices")
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false" if enable else "true"
        _Wishes.grows = enable

    @staticmethod
    def get_memory_growth(device: PhysicalDevice) -> bool | None:
        """What `set_memory_growth` has set; None: nothing."""
        (physical,) = _listed(device)
        if physical.device_type != "GPU":
            raise InvalidArgumentError("memory growth is set for GPUs only")
        return _Wishes.grows

    @staticmethod
    def get_memory_info(device: str) -> dict[str, int]:
        """The bytes of a device's memory that are in use, ``current``, and were at most, ``peak``.

        Zeros for CPUs, as in TensorFlow. Raises `ValueError` for a device that is not there.
        """
        wanted = _there(device)
        stats = None if wanted == HOST else machine.jax_device(wanted).memory_stats()
        stats = stats or {}
        return {"current": stats.get("bytes_in_use", 0), "peak": stats.get("peak_bytes_in_use", 0)}

    @staticmethod
    def get_memory_usage(device: str) -> int:
        """The bytes of a device's memory that are in use; 0 for CPUs."""
        return _Experimental.get_memory_info(device)["current"]

    @staticmethod
    def reset_memory_stats(device: str) -> None:
        """For a CPU, of which nothing is counted. Raises `UnimplementedError` otherwise: JAX can't."""
        if _there(device).kind != "CPU":
            raise UnimplementedError("JAX can't reset what it has counted", remedy="compare two get_memory_info()")

    @staticmethod
    def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
        """What is known of a device besides: ``device_name``, and of GPUs ``compute_capability``. JAX starts."""
        (physical,) = _listed(device)
        if physical == _CPU:
            return {}
        found = machine.jax_device(_there(physical.name.removeprefix("/physical_device:")))
        details: dict[str, Any] = {"device_name": found.device_kind}
        capability = getattr(found, "compute_capability", None)
        if capability is not None:
            details["compute_capability"] = tuple(map(int, str(capability).split(".")))
        return details

    @staticmethod
    def enable_op_determinism() -> None:
        """All operations of the CPU are deterministic. Raises `UnimplementedError` where there is an accelerator, for
        which XLA has to be told before Python starts.
        """
        if _accelerators() and "xla_gpu_deterministic_ops" not in os.environ.get("XLA_FLAGS", ""):
            raise UnimplementedError(
                "XLA is told beforehand that operations of GPUs are to be deterministic",
                remedy="start Python with XLA_FLAGS=--xla_gpu_deterministic_ops=true",
            )

    @staticmethod
    def enable_tensor_float_32_execution(enabled: bool) -> None:
        """Accepted for False: products of float32 are float32 on all devices. Raises `UnimplementedError` for True."""
        if enabled:
            raise UnimplementedError("products of float32 are not rounded to TensorFloat-32")

    @staticmethod
    def tensor_float_32_execution_enabled() -> bool:
        """False: see `enable_tensor_float_32_execution`."""
        return False

    @staticmethod
    def get_device_policy() -> str:
        """``"silent"``: values are copied to where they are needed."""
        return "silent"

    @staticmethod
    def set_device_policy(device_policy: str | None) -> None:
        """Accepted for ``"silent"`` and None. Raises `UnimplementedError` for other policies."""
        if device_policy not in (None, "silent"):
            raise UnimplementedError(
                f"the device policy {device_policy!r}: values are always copied to where they are needed",
                remedy="profiles (tf.profiler.experimental) show each copy",
            )

    @staticmethod
    def get_synchronous_execution() -> bool:
        """True: operations are done when they return."""
        return True

    @staticmethod
    def set_synchronous_execution(enable: bool) -> None:
        """Accepted as in TensorFlow: operations are done when they return, those of devices when Python looks."""


def _there(name: str) -> Device:
    found = parsed(name, None)
    if found is None or not machine.exists(found):
        raise machine.absent(found or HOST)
    return found


experimental = _Experimental()
