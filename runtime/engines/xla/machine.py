"""The devices that JAX sees: which there are, as far as that can be told without loading it, and starting it.

JAX fixes the devices when it starts: at the first use of one. What is to be set has to be set before.
"""

from __future__ import annotations

import functools
import glob
import importlib.util
import os
import sys
import threading
from typing import Any

from autograph.errors import FailedPreconditionError, InvalidArgumentError
from autograph.log import log_once

from ...base import copies
from ...base.devices import HOST, NAMES, Device, kind_of
from ..engine import is_installed

__all__ = [
    "absent", "accelerator", "asks_for_cpus", "configure", "configured", "devices", "exists", "gpus_seen",
    "has_plugin", "has_sign", "jax_device", "put", "refuse_late", "started",
]  # fmt: skip

_TPU_SIGNS = "TPU_NAME", "TPU_WORKER_ID", "TPU_SKIP_MDS_QUERY", "COLAB_TPU_ADDR"
_settings: dict[str, Any] = {}
_lock = threading.RLock()
_mine: dict[Device, Any] = {}
_found: dict[str, Device | None] = {}


def started() -> bool:
    """Whether JAX has started, by whomever."""
    if "jax" not in sys.modules:
        return False
    bridge = sys.modules.get("jax._src.xla_bridge")
    is_initialized = getattr(bridge, "backends_are_initialized", None)
    return bool(_mine) or (is_initialized is not None and bool(is_initialized()))


def configure(name: str, value: Any) -> None:
    """Set something of JAX's for when it starts, such as ``jax_num_cpu_devices``. The caller asks `started` before."""
    _settings[name] = value
    if "jax" in sys.modules:  # who uses JAX directly gets it too
        sys.modules["jax"].config.update(name, value)


def configured(name: str) -> Any:
    """What `configure` has set, or None."""
    return _settings.get(name)


def devices() -> dict[Device, Any]:
    """All devices of this process, with JAX's objects for them. JAX, which has to be installed, is started."""
    with _lock:
        if not _mine:
            _start()
    return _mine


def _start() -> None:
    import jax

    if not started():
        for name, value in _settings.items():
            jax.config.update(name, value)
    found: dict[Device, Any] = {}
    counts: dict[str, int] = {}
    platforms = {each.platform for each in jax.local_devices()}
    for each in [*jax.local_devices(), *([] if "cpu" in platforms else jax.local_devices(backend="cpu"))]:
        kind = kind_of(each)
        found[Device(kind, counts.setdefault(kind, 0))] = each
        counts[kind] += 1
    NAMES.update({each: device for device, each in found.items()})
    _mine.update(found)


def jax_device(device: Device) -> Any:
    """JAX's object for a device that `exists`."""
    return devices()[device]


def accelerator() -> Device | None:
    """The accelerator that functions run on without being asked, if there is one. JAX starts where there is a sign."""
    if "accelerator" not in _found:
        if not has_sign():
            return None
        try:
            there = [each for each in devices() if each.kind != "CPU"]
        except RuntimeError as error:
            log_once(f"nothing runs on an accelerator: {error}")
            there = []
        _found["accelerator"] = there[0] if there else None
    return _found["accelerator"]


def put(x: Any, device: Device) -> Any:
    """A copy of an array, of NumPy's or JAX's, on a device."""
    import jax

    started, place = copies.clock(), jax_device(device)
    with jax.enable_x64(True):
        found = jax.device_put(x, place)
    copies.note(f"copy to {device.short}", started, 1, x.nbytes, False)
    return found


def absent(device: Device) -> InvalidArgumentError:
    """The error for a device that is not there."""
    there = sorted({HOST, *_mine}) if _mine else [HOST]
    return InvalidArgumentError(
        f"there is no device {device.short}; there are {', '.join(each.short for each in there)}",
        remedy="name one of these, or call tf.config.set_soft_device_placement(True) to have the CPU stand in for it",
    )


def exists(device: Device) -> bool:
    """Whether a device is there. JAX is started only where that could tell."""
    if device == HOST:
        return True
    if not is_installed("jax") or not (started() or _may_be_there(device.kind)):
        return False
    return device in devices()


def _may_be_there(kind: str) -> bool:
    return asks_for_cpus() if kind == "CPU" else has_sign(kind)


def asks_for_cpus() -> bool:
    """Whether somebody has asked JAX for several devices of one CPU."""
    flag = "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", "")
    return "jax_num_cpu_devices" in _settings or bool(os.environ.get("JAX_NUM_CPU_DEVICES")) or flag


def _platforms() -> set[str]:
    """The platforms that JAX is told to use; none: whichever there are."""
    named = configured("jax_platforms") or os.environ.get("JAX_PLATFORMS", "")
    return set(named.lower().split(",")) - {""}


def has_sign(kind: str | None = None) -> bool:
    """Whether a cheap look finds a sign of an accelerator (of a kind) that JAX may use. Nothing is loaded for that."""
    platforms = _platforms()
    if not is_installed("jax") or platforms == {"cpu"}:
        return False
    gpu = bool(gpus_seen()) or bool({"cuda", "gpu", "rocm"} & platforms)
    gpu |= has_plugin("rocm") and bool(glob.glob("/dev/kfd"))
    tpu = is_installed("libtpu") and (not os.environ.keys().isdisjoint(_TPU_SIGNS) or bool(glob.glob("/dev/accel*")))
    tpu |= "tpu" in platforms
    return {"GPU": gpu, "TPU": tpu}.get(kind, gpu or tpu) if kind else gpu or tpu


def gpus_seen() -> int:
    """How many GPUs of NVIDIA there seem to be that JAX may use, by the files of their driver."""
    platforms = _platforms()
    if (platforms and platforms.isdisjoint({"cuda", "gpu"})) or not (is_installed("jax") and has_plugin("cuda")):
        return 0
    files = [path for path in glob.glob("/dev/nvidia[0-9]*") if os.access(path, os.R_OK | os.W_OK)]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return len(files)
    named = [each.strip() for each in visible.split(",")]
    before_bad = next((i for i, each in enumerate(named) if each in ("", "-1")), len(named))  # as CUDA reads it
    return min(len(files), before_bad)


@functools.cache
def has_plugin(name: str) -> bool:
    """Whether a plugin of JAX's is installed, such as jax-cuda12-plugin."""
    try:
        spec = importlib.util.find_spec("jax_plugins")
    except ValueError:
        return False
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return any(name in entry for folder in folders if os.path.isdir(folder) for entry in os.listdir(folder))


def refuse_late(what: str) -> None:
    """Raise `FailedPreconditionError` (a `RuntimeError`) where JAX has started, and its devices are fixed."""
    if started():
        raise FailedPreconditionError(
            f"{what} cannot be modified after being initialized: JAX has started",
            remedy="call it at the start of the program, before any function runs on a device",
        )
