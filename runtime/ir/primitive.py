"""The ops of which graphs are built: constants and parameters, and those that hold graphs.

Passes and engines ask for them by themselves: ``node.op is WHILE``.
"""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.errors import GraphError

from . import totality
from .op import NOT_DIFFERENTIABLE, STRUCTURAL, op, type_of
from .work import Work


def only_in_graphs(*_: Any, **__: Any) -> NoReturn:
    raise GraphError("this op has no kernel: executors run its sub-graphs")


CONSTANT = op("constant", infer=lambda *, value: type_of(value), numpy=lambda *, value: value,
              gradient=NOT_DIFFERENTIABLE, doc="The array in the attribute ``value``.",
              total=totality.always, work=Work.NONE, tensorflow_name="Const")  # fmt: skip
PLACEHOLDER = op("placeholder", infer=only_in_graphs, numpy=only_in_graphs,
                 gradient=NOT_DIFFERENTIABLE, doc="A parameter or captured value.", total=totality.always,
                 work=Work.NONE)
COND = op("cond", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL, doc=(
    "Inputs: predicate, operands. ``then`` and ``orelse`` take the operands, and give the outputs."),
    tensorflow_name="If")  # fmt: skip
WHILE = op("while", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL, doc=(
    "Inputs: state (``count`` values), operands. ``test`` and ``body`` take both; ``test`` gives a bool, ``body`` the "
    "next state. Outputs: the last state."))  # fmt: skip
CALL = op("call", infer=only_in_graphs, numpy=only_in_graphs, gradient=STRUCTURAL,
          doc="Runs ``graph`` on the inputs.", tensorflow_name="PartitionedCall")  # fmt: skip
CUSTOM_GRADIENT = op(
    "custom_gradient", gradient=STRUCTURAL,
    infer=lambda *types, arguments, results, **_: tuple(types[arguments : arguments + results]),
    numpy=lambda *arrays, arguments, results, **_: tuple(arrays[arguments : arguments + results]),
    doc="Gives the inputs after ``arguments`` ones. ``backward``, of which the rest are operands, is their gradient.",
    total=totality.always,
)  # fmt: skip
