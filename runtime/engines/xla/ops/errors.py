"""Checks and errors: the plan raises them, see `Lowering.fails`."""

from __future__ import annotations

from typing import Any, NoReturn

from ....ir.graph import Node
from ....ir.op import lowers
from ....ops.host.assert_true import ASSERT as ASSERT_TRUE
from ....ops.host.checks import CHECK_NUMERICS, RANK, RELATION, SHAPES
from ....ops.host.host import ASSERT, RAISE
from ..lowering import Fails, Lowering
from ..supported import ENGINE
from ..values import Lowered


@lowers(ENGINE, ASSERT, ASSERT_TRUE, RELATION, CHECK_NUMERICS)
def _check(here: Lowering, node: Node, *inputs: Lowered, **attributes: Any) -> tuple[Any, ...]:
    assert node.op.holds is not None
    here.fails(~node.op.holds(here.apply, *inputs, **attributes))
    return inputs[: len(node.outputs)]


@lowers(ENGINE, SHAPES, RANK)
def _check_shapes(here: Lowering, node: Node, *inputs: Lowered, **attributes: Any) -> tuple[()]:
    shapes = [here.static(x, "a shape that is checked") for x in inputs]
    try:
        node.op.numpy(*shapes, **attributes)
    except Exception:  # the plan will say what is wrong
        raise Fails from None
    return ()


@lowers(ENGINE, RAISE)
def _raise(here: Lowering, node: Node, *inputs: Lowered, **_: object) -> NoReturn:
    raise Fails
