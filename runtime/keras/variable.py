"""`KerasVariable`: a variable of a layer, with a path, a regularizer and a constraint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import trace
from ..shapes import TensorShape
from ..tensor import EagerTensor
from ..variable import Variable

__all__ = ["KerasVariable"]


class KerasVariable(Variable):
    """A variable that a layer has made with `add_weight`.

    ``name`` is its own name (``kernel``), ``path`` has those of the layers around it (``model/dense/kernel``).
    ``trainable`` may be set; functions that have been traced before keep following what was trainable then.
    """

    def __init__(
        self, initial_value: Any, *, name: str, path: str, dtype: Any = None, trainable: bool = True,
        regularizer: Callable[[Any], Any] | None = None, constraint: Callable[[Any], Any] | None = None,
        shape: Any = None
    ) -> None:  # fmt: skip
        super().__init__(initial_value, trainable, name=path, dtype=dtype, constraint=constraint, shape=shape)
        self._name = name
        self.path = path
        self.regularizer = regularizer

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
        }  # fmt: skip
        return _restored, (self._array, settings)

    def __repr__(self) -> str:
        head = f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype.name}"
        return f"{head}>" if trace.current_graph() is not None else f"{head}, value={self._array}>"


def _restored(array: Any, settings: dict[str, Any]) -> KerasVariable:
    settings["shape"] = TensorShape(settings["shape"])
    with trace.building(None):
        return KerasVariable(EagerTensor(array), **settings)
