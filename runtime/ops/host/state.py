"""Reading and changing variables: nodes with effects, which keep program order with print, assert and raise.

A node holds the variable itself, as an attribute: ``variable`` where it reads (gradients find it by that name),
``target`` where it writes. A variable's array is replaced and never changed, so what was read before stays as it was.
Each node that writes is atomic (see `base.atomic`); several together are not, nor is a read and what follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import InvalidArgumentError

from ...base import shapes
from ...base.atomic import change, lock
from ...base.dtypes import DType, float32
from ...base.provided import Provided
from ...base.shapes import Shape
from ...ir.effects import Effects
from ...ir.kinds import kinds
from ...ir.op import OPS, Type, op
from ...ir.work import Work
from ...tensors.likes import TensorLike
from ..infer import require, require_kind, text

__all__ = ["ASSIGN", "ASSIGN_ADD", "ASSIGN_SUB", "READ", "UPDATE"]


def _read(variable: Any, dtype: DType, shape: Shape) -> Any:
    array = variable.array
    return array[()] if array.ndim == 0 and array.dtype != object else array


def _check_assigned(value: Type, dtype: DType, shape: Shape, name: str) -> None:
    require(value.dtype is dtype, f"a value of dtype {value.dtype.name} for a variable of {dtype.name}")
    if not shapes.is_compatible(value.shape, shape):
        raise InvalidArgumentError(
            f"Cannot assign value to variable '{name}': Shape mismatch. The variable shape {text(shape)}, and the "
            f"assigned value shape {text(value.shape)} are incompatible."
        )


def _infer_assign(value: Type, *, target: Any) -> tuple[Type, ...]:
    _check_assigned(value, target.dtype, target.static_shape, target.name)
    return ()


def _assign(value: Any, *, target: Any) -> tuple[()]:
    if type(value) is not np.ndarray:
        value = _as_array(value, target.dtype)
    _check_assigned(Type(target.dtype, value.shape), target.dtype, target.static_shape, target.name)
    with lock:
        _old, target.array = target.array, value  # its end, and what that brings about, comes after the lock
    return ()


def _as_array(value: object, dtype: DType) -> Any:
    array = np.empty((), dtype.numpy)
    array[()] = value
    return array


def _infer_step(value: Type, *, target: Any) -> tuple[Type, ...]:
    require(value.dtype is target.dtype, f"a value of dtype {value.dtype.name} for a variable of {target.dtype.name}")
    require_kind(value, "iufcS", "what is added to a variable")
    _check_equal_shapes(target.static_shape, value.shape)
    return ()


def _check_equal_shapes(shape: Shape, given: Shape) -> None:
    if not shapes.is_compatible(given, shape):
        raise InvalidArgumentError(
            f"Cannot update variable with shape {text(shape)} using a Tensor with shape {text(given)}, shapes must be "
            "equal."
        )


def _step(function: Callable[..., Any]) -> Any:
    def stepped(target: Any, old: Any, value: Any) -> Any:
        shape = np.shape(value)
        if shape != old.shape:
            _check_equal_shapes(old.shape, shape)
        return np.asarray(function(old, value), target.dtype.numpy)

    def kernel(value: TensorLike, *, target: Any) -> tuple[()]:
        old = target.array
        new = stepped(target, old, value)
        with lock:  # as `change`, of which this saves a call
            if target.array is old:
                target.array = new
                return ()
        change(target, stepped, value)
        return ()

    return kernel


def _infer_update(*inputs: Type, target: Any, by: str, **attributes: object) -> tuple[Type, ...]:
    OPS[by].infer(Type(target.dtype, target.static_shape), *inputs, **attributes)
    return ()


def _update(*inputs: object, target: Any, by: str, **attributes: object) -> tuple[()]:
    def updated(target: Any, old: object) -> Any:
        return np.asarray(OPS[by].numpy(old, *inputs, **attributes), target.dtype.numpy)

    change(target, updated)
    return ()


VARIABLE: Provided[Callable[..., Any]] = Provided("runtime.state.variable")
"""`Variable`: who asks for samples has loaded it."""


def _is_update(name: str) -> bool:
    return type(name) is str and name in OPS and OPS[name].in_place is not None


def _sample(*inputs: object, role: str = "target", **attributes: object) -> Any:
    """Inputs and attributes for a variable of two numbers."""
    variable = VARIABLE.function(np.array([1, 2], np.float32))
    return tuple(np.array(x, np.float32) for x in inputs), {role: variable, **attributes}


READ = op("read_variable", infer=lambda *, variable, dtype, shape: Type(dtype, shape), numpy=_read,
          effects=Effects.READS,
          samples=lambda: [_sample(role="variable", dtype=float32, shape=(2,))],
          doc="What the variable holds now.", work=Work.LITTLE, native=True,
          attributes=kinds("variable dtype shape"))  # fmt: skip
ASSIGN = op("assign", infer=_infer_assign, numpy=_assign, effects=Effects.WRITES, samples=lambda: [_sample([3, 4])],
            doc="Sets the variable ``target``.", work=Work.LITTLE, native=True, attributes=kinds("target"))  # fmt: skip
ASSIGN_ADD = op("assign_add", infer=_infer_step, numpy=_step(np.add),
                effects=Effects.UPDATES, samples=lambda: [_sample([3, 4])],
                doc="Adds to the variable.", native=True, attributes=kinds("target"))  # fmt: skip
ASSIGN_SUB = op("assign_sub", infer=_infer_step, numpy=_step(np.subtract), effects=Effects.UPDATES,
                samples=lambda: [_sample([3, 4])], doc="Subtracts from the variable.", native=True,
                attributes=kinds("target"))  # fmt: skip
UPDATE = op("update_variable", infer=_infer_update, numpy=_update, effects=Effects.UPDATES,
            samples=lambda: [_sample(5, by="set_item", key=(("index", 1),))],
            doc="Replaces what the variable holds by what the op ``by`` makes of it and of the inputs.",
            native=True, attributes=kinds("target key", by=_is_update))  # fmt: skip
