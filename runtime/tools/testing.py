"""`tf.test`: what tests ask of the machine."""

from __future__ import annotations

from autograph.tracebacks import leaving

from ..engines.engine import is_installed
from ..engines.xla import machine
from ..state.devices import experimental, list_logical_devices, list_physical_devices

__all__ = ["gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_xla",
           "is_gpu_available"]  # fmt: skip


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """Whether there is a GPU, of that capability at least. JAX starts where there seems to be one."""
    if not list_logical_devices("GPU"):
        return False
    details = [experimental.get_device_details(each) for each in list_physical_devices("GPU")]
    least = min_cuda_compute_capability or (0, 0)
    return any(each.get("compute_capability", () if cuda_only else least) >= least for each in details)


def gpu_device_name() -> str:
    """The name of the first GPU, as `tf.device` takes it; ``""`` where there is none."""
    return next((each.name for each in list_logical_devices("GPU")), "")


def is_built_with_cuda() -> bool:
    """Whether JAX can use GPUs of NVIDIA: its plugin for them is installed."""
    return is_installed("jax") and machine.has_plugin("cuda")


def is_built_with_gpu_support() -> bool:
    """Whether JAX can use GPUs of any make."""
    return is_installed("jax") and (machine.has_plugin("cuda") or machine.has_plugin("rocm"))


def is_built_with_xla() -> bool:
    """Whether JAX is installed."""
    return is_installed("jax")


leaving.public_module(__name__)
