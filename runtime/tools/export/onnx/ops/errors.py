"""Checks and errors, which ONNX has none of: they are refused, or left out where the user says so."""

from __future__ import annotations

from typing import Any

from autograph.errors import UndefinedVariableError

from .....ir.graph import Node
from .....ir.op import lowers
from .....ops.host.assert_true import ASSERT as ASSERT_TRUE
from .....ops.host.checks import CHECK_NUMERICS, RANK, RELATION, SHAPES
from .....ops.host.host import ASSERT, RAISE
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value
from .elementwise import truth

_RAISES = ("a model in ONNX's format raises no errors",
           "pass drop_assertions=True to leave out assertions and branches that only raise")  # fmt: skip


@lowers(ENGINE, ASSERT)
def _assert(here: Lowering, node: Node, condition: Value, *inputs: Value, error: Any) -> list[Value]:
    """An index that is to be in a list, and a variable that is to have a value, are checked in the model, too."""
    if issubclass(error.type, (IndexError, UndefinedVariableError)):
        here.block.guards.append((~truth(condition), node))
        return []
    return _check(here, node, condition, *inputs)


@lowers(ENGINE, ASSERT_TRUE, RELATION, CHECK_NUMERICS, SHAPES, RANK)
def _check(here: Lowering, node: Node, *inputs: Value, **attributes: Any) -> list[Value]:
    if not here.drops_assertions:
        raise NotExported(*_RAISES)
    return list(inputs[: len(node.outputs)])


@lowers(ENGINE, RAISE)
def _raise(here: Lowering, node: Node, *inputs: Value, **_: object) -> list[Value]:
    if not here.drops_assertions:
        raise NotExported(*_RAISES)
    return []
