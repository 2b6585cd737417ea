"""`tf.export.stablehlo`: a traced function, or a model of Keras's, as a file that JAX runs without autograph."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from autograph.errors import InvalidArgumentError, MissingExtraError

from ....functions.concrete import ConcreteFunction
from ....functions.function import Function
from ..signatures import STABLEHLO, input_names
from ..traced import trace_of
from ..weights import replace_file

__all__ = ["stablehlo"]

_PLATFORMS = "cpu", "cuda", "rocm", "tpu"


@STABLEHLO.give
def stablehlo(
    function_or_model: Any, path: str | os.PathLike[str], signature: Any = None, *, errors: str = "nan",
    drop_assertions: bool = False, dimensions: Mapping[str, str] | None = None,
    platforms: Sequence[str] = ("cpu", "cuda", "tpu")
) -> None:  # fmt: skip
    """Write a traced function, or a model, as a program in StableHLO, which `jax.export` reads and runs.

    ``jax.export.deserialize(data).call(*arrays)`` takes an array for each tensor among the arguments, in their order,
    and gives what the function gives, in dicts, lists and tuples. Dimensions that vary are symbolic: any size from 1 on
    will do, and JAX raises an error for 0. What variables and other places outside hold is a part of the program.

    Parameters
    ----------
    function_or_model: a `tf.function`, one of its concrete functions, or a model of `tf.keras`, which runs as for
        `predict`.
    path: the file, which is replaced when all of it has been written.
    signature: the arguments of the function, with a `TensorSpec` for each tensor; or the `TensorSpec` of the only one.
        Left out, the function's input_signature, or its only trace.
    errors: a program can't raise. "nan": where the function raises an error, all results are NaN; whole numbers and
        booleans can't be, so that such results are refused where there may be errors. "flag": the program gives a
        tuple, of the results and a boolean that is true where the function raises; the results are of no use then.
    drop_assertions: leaves out ``assert``, and branches that only raise.
    dimensions: names for the dimensions of arguments, in the notation of `jax.export.symbolic_shape`:
        ``{"x": "batch, 3", "y": "batch"}`` says that two sizes are the same. Else each has a name of its own; the first
        ones of a model's inputs are the same.
    platforms: where the program is to run: "cpu", "cuda", "rocm", "tpu".

    Raises `SavingError` for what XLA can't do by itself (Python, printing, text, random generators, variables that are
    assigned, lists of unknown length), and for what depends on the size of a dimension that varies, with the user's
    lines; `InvalidArgumentError` for other ``errors`` and ``dimensions``; `MissingExtraError` without JAX or
    flatbuffers; `OSError`.
    """
    _check_installed()
    if errors not in ("nan", "flag"):
        raise InvalidArgumentError(f'errors is "nan" or "flag", not {errors!r}')
    for platform in platforms:
        if platform not in _PLATFORMS:
            raise InvalidArgumentError(f"{platform!r} is none of the platforms {', '.join(_PLATFORMS)}")
    concrete = trace_of(function_or_model, signature, "tf.export.stablehlo")
    from . import program

    is_model = not isinstance(function_or_model, (ConcreteFunction, Function))
    options = program.Options(drop_assertions, errors, dimensions or {}, tuple(platforms), is_model)
    replace_file(os.fspath(path), program.exported(concrete, input_names(concrete), options))


def _check_installed() -> None:
    for library in ("flatbuffers", "jax"):
        try:
            importlib.import_module(library)
        except ImportError:
            raise MissingExtraError(
                f"programs in StableHLO need the library {library}, which is not installed",
                remedy="pip install 'autograph-py[xla]'",
            ) from None
