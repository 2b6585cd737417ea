"""What `saved_model.save` takes of a model: its attributes, lists of its weights, and functions that call it."""

from __future__ import annotations

from typing import Any

from autograph.runtime.base import nest
from autograph.runtime.functions.function import Function, function
from autograph.runtime.tensors.spec import TensorSpec

from ..base.layer import signature_of
from ..base.tracking import own_layers, record_of

__all__ = ["children_of_model", "input_specs"]


def children_of_model(model: Any) -> dict[str, Any]:
    """What a model that is loaded has: attributes of the model, and under ``__call__`` and ``call`` a function.

    The function takes the arguments of ``call``. It has a trace for the arguments of the model's first call (for the
    inputs of a functional model), of any batch size where the model can be traced so, and another for training where
    ``call`` has such a parameter. A ``call`` that is a traced function itself stays as it is. A model that has not
    been called yet has no functions.
    """
    found: dict[str, Any] = {}
    for kind in reversed(type(model).__mro__):
        found |= {name: getattr(model, name) for name, each in vars(kind).items() if isinstance(each, Function)}
    found |= {name: each for name, each in vars(model).items() if name != "_record"}
    lists = ("variables", "trainable_variables", "non_trainable_variables")
    found |= {name: list(getattr(model, name)) for name in lists}
    found["layers"] = own_layers(model)
    calling = record_of(model).calling = _calling(model)
    if calling is not None:
        found["__call__"] = calling
        found.setdefault("call", calling)
    return found


def input_specs(model: Any) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The positional and keyword arguments that a model is called with, with specs for tensors; None if not known."""
    graph = model.graph_of_calls
    if graph is None:
        return record_of(model).call_arguments
    return (nest.map_structure(lambda leaf: TensorSpec(leaf.static_shape, leaf.dtype), graph.inputs),), {}


def _calling(model: Any) -> Function | None:
    """A function that calls the model, traced."""
    known = input_specs(model)
    if known is None:
        return None
    args, kwargs = known
    kwargs = {name: value for name, value in kwargs.items() if name != "training"}
    leaves = nest.flatten((args, kwargs))
    if not all(leaf is None or isinstance(leaf, (TensorSpec, bool, int, float, str)) for leaf in leaves):
        return None
    calling = _function_of(model)
    trainings = (False, True) if signature_of(model).takes_training else (None,)
    for training in trainings:
        if training is not None:
            kwargs = {**kwargs, "training": training}
        try:
            relaxed = nest.map_structure(_of_any_batch, (args, kwargs))
            calling.get_concrete_function(*relaxed[0], **relaxed[1])
        except Exception:  # of the model's own code, which may ask for the size of a batch
            calling.get_concrete_function(*args, **kwargs)
    return calling


def _function_of(model: Any) -> Function:
    def call(*args: object, **kwargs: Any) -> Any:
        return model(*args, **kwargs)

    signature = signature_of(model).signature
    parameters = [
        each.replace(default=False) if each.name == "training" and each.default is None else each
        for each in signature.parameters.values()
    ]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function(call)


def _of_any_batch(leaf: object) -> Any:
    if not isinstance(leaf, TensorSpec) or not leaf.shape.rank:
        return leaf
    return TensorSpec((None, *leaf.shape[1:]), leaf.dtype)
