"""Who runs the workloads: autograph, and the peers that are installed."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

Run = Callable[[], Any]


@dataclass(frozen=True)
class Contender:
    """``library`` is what has to be installed, ``function`` is the workload's function that makes what is run.

    ``engine``: the only one that runs graphs.
    """

    library: str
    function: str
    options: tuple[tuple[str, Any], ...] = ()
    engine: str = ""

    @property
    def is_installed(self) -> bool:
        needed = [self.library, *{"native": ["llvmlite"], "xla": ["jax"]}.get(self.engine, [])]
        return all(importlib.util.find_spec(name) is not None for name in needed)

    def run_of(self, workload: ModuleType, data: Any) -> Run:
        """What is to be timed. Imports the library."""
        make = getattr(workload, self.function)
        if self.function != "in_graph":
            if self.library == "jax":
                config = importlib.import_module("jax").config
                config.update("jax_enable_x64", True)
                config.update("jax_default_matmul_precision", "highest")  # on GPUs it is 10 bits otherwise
            return make(data)
        tf = importlib.import_module(self.library)
        if getattr(workload, "SILENT", False) and self.library == "tensorflow":
            tf.get_logger().setLevel("ERROR")
        if self.engine:
            tf.config.settings.engine = self.engine
        function = functools.partial(tf.function, **dict(self.options))
        device = os.environ.get(_DEVICE, "")
        if self.engine == "xla" and device:
            tf.device(device).__enter__()  # for all that this process does
            run = make(tf, function, data)
            return lambda: _ended(run())
        return make(tf, function, data)

    def cold_run_of(self, workload: ModuleType) -> Run:
        """What is to be timed, of a workload that is about a library that is not imported yet."""
        make = getattr(workload, self.function)
        return make(self.library, None, None) if self.function == "in_graph" else make(None)

    def warm_up(self) -> None:
        """Load what the library loads at its first trace, so that it is not a part of others' first calls."""
        self.run_of(importlib.import_module(f"{__package__}.workloads.warm_up"), 3.0)()


OWN = "autograph"
BEFORE = "before"
"""The autograph of another copy of the project, whose folder an environment variable names."""
_FOLDER, _DEVICE = "AUTOGRAPH_BENCHMARKS_BEFORE", "AUTOGRAPH_BENCHMARKS_DEVICE"
CONTENDERS = {
    OWN: Contender("autograph", "in_graph"),
    BEFORE: Contender("autograph", "in_graph"),
    "TensorFlow": Contender("tensorflow", "in_graph"),
    "TensorFlow XLA": Contender("tensorflow", "in_graph", (("jit_compile", True),)),
    "JAX": Contender("jax", "in_jax"),
    "NumPy": Contender("numpy", "in_numpy"),
    "Numba": Contender("numba", "in_numba"),
}
ENGINES = {engine: f"{OWN} {engine}" for engine in ("numpy", "native", "xla")}
"""The contenders that are autograph with one engine alone."""
CONTENDERS.update((name, Contender("autograph", "in_graph", engine=engine)) for engine, name in ENGINES.items())
_ONE_THREAD = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    **dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def compare_with(folder: Path) -> None:
    """Let the contender "before" be the copy of the project in a folder."""
    os.environ[_FOLDER] = str(folder.resolve())


def choose(contender: str) -> Contender:
    """A contender, in the process that runs nothing else; the tests' own modules stay those of this copy."""
    if contender == BEFORE:
        sys.path.insert(0, os.environ[_FOLDER])
    return CONTENDERS[contender]


def put_on(device: str) -> None:
    """Let XLA's graphs, and JAX, run on a device, such as ``"GPU:0"``; all else stays on the CPU."""
    os.environ[_DEVICE] = device


def _ended(result: Any) -> Any:
    """A result, or what it is made of, when the device has it."""
    if isinstance(result, (list, tuple, dict)):
        for each in result.values() if isinstance(result, dict) else result:
            _ended(each)
    else:
        getattr(getattr(result, "held", None), "block_until_ready", lambda: None)()
    return result


def environment(threads: str, contender: str) -> dict[str, str]:
    """The environment variables of a process with one thread (``"one"``) or as many as each library takes."""
    own = {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "-1"}
    if os.environ.get(_DEVICE) and contender in ("JAX", ENGINES["xla"]):
        own = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # there are two of them at once
    return {**os.environ, **own, **(_ONE_THREAD if threads == "one" else {})}
