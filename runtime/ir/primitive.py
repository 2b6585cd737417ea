"""The ops of the nodes that graphs make by themselves: constants and parameters."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.errors import GraphError

from . import totality
from .op import NOT_DIFFERENTIABLE, op, type_of
from .work import Work


def only_in_graphs(*_: Any, **__: Any) -> NoReturn:
    raise GraphError("this op has no kernel: executors run its sub-graphs")


CONSTANT = op("constant", infer=lambda *, value: type_of(value), numpy=lambda *, value: value,
              gradient=NOT_DIFFERENTIABLE, doc="The array in the attribute ``value``.",
              total=totality.always, work=Work.NONE, tensorflow_name="Const")  # fmt: skip
PLACEHOLDER = op("placeholder", infer=only_in_graphs, numpy=only_in_graphs,
                 gradient=NOT_DIFFERENTIABLE, doc="A parameter or captured value.", total=totality.always,
                 work=Work.NONE)
