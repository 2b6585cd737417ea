"""How a compiled program is called where Python is: written out for its types, as a short call takes as long as this.

What comes up seldom (other types, a failure, more room for lists) is left to the program itself, which starts anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from ..engine import Entry
from .resident import original, view

__all__ = ["written"]


def written(
    run: Callable[..., Any],
    has_flags: bool,
    types: Sequence[Any],
    inputs: int,
    outputs: int,
    changed: int,
    program: Any,
) -> Entry:
    """The entry of a program whose results are arrays.

    ``run``: JAX's function. ``types``: of the arguments, with shapes and dtypes of NumPy's; behind so many ``inputs``
    they are what variables hold. ``outputs``: how many of the results are the caller's own; ``changed`` many follow
    that variables are to hold. ``program`` has ``run``, which is called otherwise; ``is_current``, whether the function
    is its own still; and ``broken_off``, which tells what an error of JAX's means.
    """
    arguments = [f"a{i}" for i in range(len(types))]
    results = [f"r{i}" for i in range(outputs + changed)]
    tests = [f"{a}.__class__ is ndarray and {a}.shape == s{a} and {a}.dtype == d{a}" for a in arguments]
    given = [*arguments[:inputs], *[f"original({a})" for a in arguments[inputs:]]]
    made = [*[f"array({r})" for r in results[:outputs]], *[f"view({r})" for r in results[outputs:]]]
    lines = [
        f"def entry({', '.join(arguments)}):",
        f"    if {' and '.join([*tests, 'program.is_current(run)'])}:",
        "        try:",
        "            with enable_x64(True):",
        f"                {_listed(['flags'] * has_flags + results)} = run({', '.join(given)})",
        f"            if {'not asarray(flags)' if has_flags else 'True'}:",
        f"                return {_listed(made, '()')}",
        "        except errors as error:",
        "            return program.broken_off(error)",
        f"    return program.run({', '.join(arguments)})",
    ]
    scope: dict[str, Any] = {
        "ndarray": np.ndarray, "array": np.array, "asarray": np.asarray, "enable_x64": jax.enable_x64, "run": run,
        "original": original, "view": view, "program": program,
        "errors": (jax.errors.JaxRuntimeError, ValueError),
    }  # fmt: skip
    for a, each in zip(arguments, types, strict=True):
        scope[f"s{a}"], scope[f"d{a}"] = each.shape, np.dtype(each.dtype)
    exec(compile("\n".join(lines), "<autograph program>", "exec"), scope)
    entry: Entry = scope["entry"]
    return entry


def _listed(parts: Sequence[str], empty: str = "[]") -> str:
    return "".join(f"{part}, " for part in parts) or empty
