"""A short text of a jaxpr: its operations, and those of the functions in it, without what differs among releases."""

from __future__ import annotations

from typing import Any

_SHOWN = ("cond_jaxpr", "body_jaxpr", "jaxpr", "branches")


def shown(jaxpr: Any, indent: str = "") -> str:
    """One operation a line; the constants and variables that it takes are left out."""
    lines = []
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        types = " ".join(str(each.aval.str_short()) for each in equation.outvars)
        inner = {key: equation.params[key] for key in _SHOWN if key in equation.params}
        if name in ("jit", "pjit"):
            name, inner = equation.params["name"], {}
        lines.append(f"{indent}{name}: {types}")
        for key, value in inner.items():
            bodies = value if isinstance(value, tuple) else (value,)
            for body in bodies:
                lines.append(f"{indent}  {key.removesuffix('_jaxpr')}")
                lines += filter(None, [shown(body.jaxpr, indent + "    ")])
    return "\n".join(lines)
