"""Variables are initialisers of the model, which runs can't change."""

from __future__ import annotations

from typing import Any, NoReturn

from .....base.dtypes import DType
from .....base.shapes import Shape
from .....functions.deferred import array_of
from .....ir import records
from .....ir.graph import Node
from .....ir.op import lowers
from ..lowering import Lowering, NotExported
from ..supported import ENGINE
from ..values import Value


@lowers(ENGINE, records.read_variable)
def _read(here: Lowering, node: Node, variable: Any, dtype: DType, shape: Shape) -> Value:
    name = getattr(variable, "path", variable.name.removesuffix(":0"))
    return here.variable(variable, name, lambda: array_of(variable))


@lowers(ENGINE, records.assign, records.assign_add, records.assign_sub, records.update_variable)
def _assign(here: Lowering, node: Node, *inputs: Value, target: Any, **_: object) -> NoReturn:
    raise NotExported(
        f"it assigns to the variable {target.name!r}, and a model in ONNX's format keeps nothing between runs",
        "return the new value, and assign it outside of the function",
    )
