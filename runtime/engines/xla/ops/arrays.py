"""What the lowerings of ops share: values, the dtypes that inference promises, and what has to be known."""

from __future__ import annotations

from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np

from ....ir.graph import Node
from ...engine import NotLowered
from ..lowering import Lowering
from ..values import Lowered


def array(x: Lowered) -> Lowered:
    """A value as an array of JAX's."""
    return jnp.asarray(x)


def dtype_of(node: Node, place: int = 0) -> np.dtype[Any]:
    """The dtype that an output of a node is to have."""
    return node.outputs[place].type.dtype.numpy


def working(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which floats are calculated: NumPy, too, calculates those of 16 bits in 32."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def quotient(x: Lowered, y: Lowered) -> Lowered:
    """``x / y``, rounded once.

    XLA would multiply by the inverse of a divisor that many numbers share, which makes 49 / 49 less than 1: it must not
    see that they do.
    """
    return x / y if x.dtype.kind == "c" else x / jnp.where(x != x, x, y)


def refuse(reason: str, node: Node) -> NoReturn:
    """Raises `NotLowered`."""
    raise NotLowered(reason, node)


def dims_of(here: Lowering, dynamic: tuple[Lowered, ...], static: Any, what: str) -> tuple[int, ...]:
    """Dimensions that are the attribute ``static``, or the first of some inputs. Raises `NotLowered`."""
    return tuple(here.static(dynamic[0], what).tolist()) if dynamic else tuple(static)
