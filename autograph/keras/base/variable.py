"""`KerasVariable`: a variable of a layer, a metric or an optimizer, with a path, a regularizer and a constraint."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base.shapes import TensorShape
from autograph.runtime.state.aggregation import VariableAggregation, VariableSynchronization
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors import trace
from autograph.runtime.tensors.tensor import EagerTensor, Tensor

from .. import distribution, initializers
from .defaults import floatx
from .names import auto_name, current_path

__all__ = ["KerasVariable"]

_numbers = itertools.count()


class KerasVariable(Variable):
    """A variable with a path, as layers, metrics and optimizers have them.

    Parameters
    ----------
    initializer: the value it starts with, or what makes it: a function of shape and dtype, or an initializer's name.
    shape: needed for an initializer that makes the value.
    dtype: when left out, that of the value; float32 for one that is made.
    trainable: whether training changes it. It may be set; functions that have been traced before keep following what
        was trainable then.
    aggregation: what becomes of values that replicas of a strategy assign: "mean", "sum", "only_first_replica", or
        "none", which refuses values that differ.
    synchronization: "on_read" where each replica has a value of its own, see `tf.VariableSynchronization`.
    autocast: accepted as in Keras; it doesn't change results.
    name: its own name, such as ``kernel``; ``variable`` with a number when left out.
    path: has the names of the layers around it, too: ``model/dense/kernel``.
    regularizer, constraint: of weights.

    Raises `ValueError` for an initializer without a shape, else as `tf.Variable`.
    """

    def __init__(
        self, initializer: object, shape: Any = None, dtype: Any = None, trainable: bool = True, autocast: bool = True,
        aggregation: str | None = "none", synchronization: str | None = "auto", name: str | None = None, *,
        path: str | None = None, regularizer: Callable[[Any], Any] | None = None,
        constraint: Callable[[Any], Any] | None = None
    ) -> None:  # fmt: skip
        name = name or auto_name("Variable")
        self.path = current_path(name) if path is None else path
        self.regularizer = regularizer
        if isinstance(initializer, str):
            initializer = initializers.get(initializer)
        start = initializer
        if callable(initializer) and not isinstance(initializer, (Tensor, Variable)):
            if shape is None:
                raise InvalidArgumentError(
                    "When creating a Variable from an initializer, the `shape` argument should be specified. Received: "
                    f"initializer={initializer} and shape={shape}"
                )
            dtype = floatx() if dtype is None else dtype

            def start() -> Any:
                return initializer(shape, dtype=dtype)

        super().__init__(
            start, trainable, name=self.path, dtype=dtype, constraint=constraint, shape=shape,
            aggregation=VariableAggregation[(aggregation or "none").upper()],
            synchronization=VariableSynchronization[(synchronization or "auto").upper()],
        )  # fmt: skip
        self._name = name
        self.number = next(_numbers)  # in files the variables of a layer come as they were made
        self.layout = distribution.layout_for(self)

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)

    def __reduce__(self) -> tuple[Any, ...]:
        settings = {
            "name": self._name, "path": self.path, "trainable": self._trainable, "regularizer": self.regularizer,
            "constraint": self.constraint, "shape": self._static_shape,
            "aggregation": self.aggregation.name.lower(), "synchronization": self.synchronization.name.lower(),
        }  # fmt: skip
        return _restored, (self.array, settings)

    def __repr__(self) -> str:
        head = f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype.name}"
        return f"{head}>" if trace.current_graph() is not None else f"{head}, value={self.array}>"


def _restored(array: Any, settings: dict[str, Any]) -> KerasVariable:
    settings["shape"] = TensorShape(settings["shape"])
    with trace.building(None):
        made = KerasVariable(EagerTensor(array), **settings)
        if made.own is not None:  # what it has been is that of all replicas together
            made.assign(EagerTensor(array))
        return made
