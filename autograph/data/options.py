"""`tf.data.Options`: what TensorFlow can be told about how datasets run. Here elements are the same with all."""

from __future__ import annotations

import copy
import enum
from typing import Any

__all__ = ["AutoShardPolicy", "DistributeOptions", "Options"]


class _Settings:
    """Attributes with fixed names; None as long as they are not set."""

    _names: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._names:
            return None
        raise AttributeError(f"{type(self).__name__} has no property {name}")

    def __setattr__(self, name: str, value: object) -> None:
        if name not in type(self)._names:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        self.__dict__[name] = value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *type(self)._names})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]


class ThreadingOptions(_Settings):
    """How many threads make elements."""

    _names = frozenset(["max_intra_op_parallelism", "private_threadpool_size"])


class AutotuneOptions(_Settings):
    """Whether, and within what limits, sizes of buffers are found by trying."""

    _names = frozenset(
        ["autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism", "min_parallelism", "ram_budget"]
    )


class OptimizationOptions(_Settings):
    """Which steps of a pipeline are fused."""

    _names = frozenset([
        "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch",
        "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination",
        "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
    ])  # fmt: skip


class AutoShardPolicy(enum.Enum):
    """How a dataset is divided among processes, see `tf.distribute.MultiWorkerMirroredStrategy`."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class DistributeOptions(_Settings):
    """How elements are spread over machines."""

    _names = frozenset(["auto_shard_policy", "num_devices"])


_GROUPS = {
    "threading": ThreadingOptions, "experimental_threading": ThreadingOptions, "autotune": AutotuneOptions,
    "experimental_optimization": OptimizationOptions, "experimental_distribute": DistributeOptions,
}  # fmt: skip


class Options(_Settings):
    """Options of a dataset, for `Dataset.with_options`. They are accepted and given back; elements stay the same.

    Raises `AttributeError` for names that TensorFlow does not have.
    """

    _names = frozenset([
        *_GROUPS, "dataset_name", "deterministic", "experimental_deterministic", "experimental_external_state_policy",
        "experimental_slack", "experimental_symbolic_checkpoint", "experimental_warm_start", "framework_type",
    ])  # fmt: skip

    def __init__(self) -> None:
        for name, group in _GROUPS.items():
            setattr(self, name, group())

    def merge(self, options: Options) -> Options:
        """Options with those of another added, which win."""
        merged = copy.deepcopy(self)
        for name, value in options.__dict__.items():
            if isinstance(value, _Settings):
                merged.__dict__[name].__dict__.update(value.__dict__)
            else:
                setattr(merged, name, value)
        return merged
