"""Variables: what they hold is given to the program, and what they hold at its end comes back as more results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.shapes import is_compatible
from ....ir import records
from ....ir.graph import Node
from ....ir.op import OPS, lowers
from ....ops.host.state import ASSIGN, ASSIGN_ADD, ASSIGN_SUB, READ, UPDATE
from ...held import Held
from ..lowering import Fails, Lowering
from ..supported import ENGINE
from ..values import Lowered


@lowers(ENGINE, READ)
def _read(here: Lowering, node: Node, *, variable: Any, **_: object) -> Any:
    return here.holds[Held(variable)]


def _set(here: Lowering, variable: Any, value: Lowered) -> tuple[()]:
    if not is_compatible(np.shape(value), variable.static_shape):
        raise Fails
    here.holds[Held(variable)] = value
    return ()


@lowers(ENGINE, ASSIGN)
def _assign(here: Lowering, node: Node, value: Lowered, *, target: Lowered) -> tuple[()]:
    return _set(here, target, value)


@lowers(ENGINE, ASSIGN_ADD, ASSIGN_SUB)
def _add(here: Lowering, node: Node, value: Lowered, *, target: Lowered) -> tuple[()]:
    old = here.holds[Held(target)]
    if np.shape(old) != np.shape(value):
        raise Fails
    op = records.add if node.op is ASSIGN_ADD else records.subtract
    return _set(here, target, here.apply(op, old, value))


@lowers(ENGINE, UPDATE)
def _update(here: Lowering, node: Node, *inputs: Lowered, target: Lowered, by: str, **attributes: Any) -> tuple[()]:
    return _set(here, target, here.apply(OPS[by], here.holds[Held(target)], *inputs, **attributes))
