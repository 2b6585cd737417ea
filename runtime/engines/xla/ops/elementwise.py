"""Ops that compute each element of their result from one of each input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from ....ir import records
from ....ir.graph import Node
from ....ir.op import Op, lowers
from ....ops.control import IDENTITY
from ..lowering import Lowering
from ..supported import ENGINE
from ..values import Lowered


@lowers(ENGINE, IDENTITY)
def _identity(here: Lowering, node: Node, x: Lowered) -> Any:
    return x


def _plainly(record: Op, function: Callable[..., Any]) -> None:
    """An op is a function of JAX, whose result is of the dtype that the op promises."""

    @lowers(ENGINE, record)
    def lower(here: Lowering, node: Node, *values: Lowered, **_: object) -> Any:
        return function(*values).astype(node.outputs[0].type.dtype.numpy)


_plainly(records.add, jnp.add)
_plainly(records.subtract, jnp.subtract)
_plainly(records.multiply, jnp.multiply)
_plainly(records.negative, jnp.negative)
_plainly(records.absolute, jnp.abs)
_plainly(records.less, jnp.less)
_plainly(records.less_equal, jnp.less_equal)
_plainly(records.greater, jnp.greater)
_plainly(records.greater_equal, jnp.greater_equal)
_plainly(records.equal, jnp.equal)
_plainly(records.not_equal, jnp.not_equal)


@lowers(ENGINE, records.floor_divide)
def _floor_divide(here: Lowering, node: Node, x: Lowered, y: Lowered) -> Any:
    if node.outputs[0].type.dtype.is_integer:
        here.fails(y == 0)
    return jnp.floor_divide(x, y).astype(node.outputs[0].type.dtype.numpy)
