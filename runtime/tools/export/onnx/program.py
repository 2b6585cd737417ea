"""From a traced function to a model: its arguments become inputs, variables and outside state become initialisers."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.errors import SavingError

from ....base.dtypes import variant
from ....functions import call_state
from ....functions.concrete import ConcreteFunction
from ....ir.graph import Graph
from ....ir.graph import Value as IrValue
from ....tensors.tensor import EagerTensor
from ..places import told
from . import ops as ops  # how ops are lowered
from .elements import elements_of
from .lowering import Lowering, Refusal
from .model import model_of
from .supported import OPSET
from .values import Value, known_value

__all__ = ["exported", "model_of_graph"]


def exported(
    concrete: ConcreteFunction, inputs: Sequence[str], outputs: Sequence[str], drop_assertions: bool
) -> object:
    """The ``ModelProto`` of a traced function, with names for its arguments and results."""
    _check_state(concrete)
    if concrete.has_optional_outputs:
        raise SavingError(f"{concrete.graph.name}() gives None in some runs, and a tensor in others",
                          remedy="return a number that says which, and a tensor")  # fmt: skip
    held = call_state.read(concrete.state)
    if concrete.graph.captures or not all(isinstance(tensor, EagerTensor) for tensor in held):
        raise SavingError(
            f"{concrete.graph.name}() uses tensors of the function around it", remedy="pass them as arguments"
        )
    arrays = [tensor.array for tensor in held]
    return model_of_graph(concrete.graph, concrete.optimized_graph, inputs, outputs, arrays, drop_assertions)


def _check_state(concrete: ConcreteFunction) -> None:
    """Raises `SavingError` where a call would write what is outside of the function."""
    for place in concrete.state:
        if place.writes:
            raise SavingError(
                f"{concrete.graph.name}() writes `{place.label}`, and a model in ONNX's format keeps nothing between "
                "runs", **place.where, remedy="return the new value, and set it outside of the function"
            )  # fmt: skip


def model_of_graph(
    source: Graph, graph: Graph, inputs: Sequence[str], outputs: Sequence[str], held: Sequence[object],
    drop_assertions: bool = False
) -> object:  # fmt: skip
    """The ``ModelProto`` of a graph; ``held`` are the arrays of its last parameters. Raises `SavingError`."""
    here = Lowering(drop_assertions, elements_of(graph))
    arguments = [_argument(here, graph, value, name) for value, name in zip(graph.parameters, inputs, strict=False)]
    state = [known_value(here, array) for array in held]  # type: ignore[arg-type]
    results = here.run(graph, [*arguments, *state])
    if here.refusals:
        raise _refused(source.name, here.refusals)
    results = [x if x.dtype is variant else here.guarded(x) for x in results]
    if not outputs:
        raise SavingError(f"{source.name}() returns no tensor", remedy="return what the model is to give")
    given = [_result(here, source, value, name) for value, name in zip(results, outputs, strict=False)]
    return model_of(source.name, here, arguments, given)


def _argument(here: Lowering, graph: Graph, value: IrValue, name: str) -> Value:
    """An input, whose unknown dimensions get names."""
    made = here.parameter(value, name)
    wrong = _not_an_input(made)
    if wrong is not None:
        raise SavingError(f"the argument {name!r} of {graph.name}() {wrong[0]}", remedy=wrong[1])
    made.dims = [f"{name}_{i}" if n is None else n for i, n in enumerate(made.shape or ())]
    return made


def _not_an_input(value: Value) -> tuple[str, str] | None:
    """Why a value can't be an input of a model, and what to do."""
    if value.dtype is variant:
        return "is a list of tensors, which has to be one tensor", "pass a tensor, and tf.unstack it"
    if value.dtype.is_complex:
        return "is complex, and runtimes of ONNX have no such numbers", "pass the real and the imaginary part"
    if value.shape is None:
        return "has an unknown rank, which ONNX has no type for", (
            "give its tf.TensorSpec as many dimensions as it has, None for those that vary")  # fmt: skip
    return None


def _result(here: Lowering, source: Graph, value: Value, name: str) -> Value:
    if value.dtype is variant or value.dtype.is_complex or value.shape is None:
        what = "a list of tensors" if value.dtype is variant else "complex" if value.dtype.is_complex else None
        raise SavingError(
            f"the result {name!r} of {source.name}() " + (f"is {what}" if what else "has an unknown rank"),
            remedy="return a tensor of real numbers whose rank is known; tf.stack makes one of a list",
        )
    made = Value(here, here.fresh(name), value.dtype, value.shape)
    here.step("Identity", [value], [made])
    return made


def _refused(function: str, refusals: Sequence[Refusal]) -> SavingError:
    """One error for all that can't be exported."""
    found: dict[str, None] = {}
    for node, reason, _ in refusals:
        location = node.location
        place = "" if location is None else "\n  " + told(location, location).replace("\n", "\n  ")
        found.setdefault(f"{node.op.name}: {reason}{place}")
    remedies = dict.fromkeys(each.remedy for each in refusals if each.remedy)
    count = "one operation" if len(found) == 1 else f"{len(found)} operations"
    return SavingError(
        f"{function}() can't be exported to ONNX (opset {OPSET}), because of {count}:\n" + "\n".join(found),
        remedy="; ".join(remedies) or None,
    )
