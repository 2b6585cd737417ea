"""What the tests of the exporter share: running programs here, and in a process that has JAX and not autograph."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

import autograph as tf

READER = Path(__file__).with_name("reader.py")
TOLERANCE = {"float16": (2e-3, 1e-3), "float32": (1e-5, 1e-6), "float64": (1e-12, 1e-13)}


def run_here(path: Path, *arrays: Any) -> Any:
    """What a program gives, in this process."""
    with jax.enable_x64(True):
        return jax.export.deserialize(bytearray(path.read_bytes())).call(*map(np.asarray, arrays))


def run_apart(path: Path, *arrays: Any) -> list[np.ndarray]:
    """What a program gives in a process with JAX alone."""
    given, found = path.with_suffix(".given.npz"), path.with_suffix(".found.npz")
    np.savez(given, *arrays)
    folders = sorted({str(Path(module.__file__).parents[1]) for module in (jax, np)})
    subprocess.run([sys.executable, "-I", "-S", READER, path, given, found, *folders], check=True, timeout=200)
    with np.load(found) as results:
        return [results[name] for name in results]


def check_same(expected: Any, got: Any) -> None:
    """The same dtypes, shapes and values; NaN is NaN, and the last digits of floats may differ."""
    ours, theirs = list(map(np.asarray, tf.nest.flatten(expected))), list(map(np.asarray, jax.tree.leaves(got)))
    assert [(x.dtype, x.shape) for x in theirs] == [(x.dtype, x.shape) for x in ours]
    for one, other in zip(ours, theirs, strict=True):
        relative, absolute = TOLERANCE.get(one.dtype.name, (0, 0))
        np.testing.assert_allclose(other, one, rtol=relative, atol=absolute, equal_nan=True)


def check_exported(
    function: Any, signature: Any, *calls: Any, folder: Path, apart: bool = False, **options: Any
) -> Path:  # fmt: skip
    """Exports a function, and compares what it and the program give for each tuple of arguments; gives the file."""
    path = folder / "program.stablehlo"
    traced = tf.function(function)
    tf.export.stablehlo(traced, path, signature, **options)
    concrete = traced.get_concrete_function(*signature)
    for arguments in calls:
        tensors = [tf.constant(x, spec.dtype) for x, spec in zip(arguments, signature, strict=True)]
        arrays = [x.numpy() for x in tensors]
        check_same(concrete(*tensors), (run_apart if apart else run_here)(path, *arrays))
    return path
