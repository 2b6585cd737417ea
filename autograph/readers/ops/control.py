"""Calls, branches, loops, lists, variables, assertions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import autograph as tf
from autograph.runtime.base.dtypes import bool_
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.trace import static_value

from .table import Attributes, Unread, Value, number, op

Call = Callable[[str, Sequence[Any]], list[Any]]


@op("NoOp")
def _no_op(a: Attributes, *x: Value) -> Any:
    return ()


@op("PartitionedCall StatefulPartitionedCall", calls=True, acts=True)
def _call(a: Attributes, call: Call, *x: Value) -> Any:
    return call(a.get("f"), x)


# Branches and loops


@op("StatelessIf If", calls=True, acts=True)
def _if(a: Attributes, call: Call, condition: Value, *x: Value) -> Any:
    test = condition if condition.dtype is bool_ else tf.not_equal(condition, tf.zeros_like(condition))
    then, orelse = a.get("then_branch"), a.get("else_branch")
    if not a.get("Tout"):
        tf.cond(test, lambda: _nothing(call(then, x)), lambda: _nothing(call(orelse, x)))
        return ()
    return tuple(tf.cond(test, lambda: tuple(call(then, x)), lambda: tuple(call(orelse, x))))


def _nothing(results: object) -> Any:
    return tf.constant(0)


@op("StatelessWhile While", calls=True, acts=True)
def _while(a: Attributes, call: Call, *x: Value) -> Any:
    """Variables go through a loop as they are; what else a turn gives goes into the next."""
    fixed = {i: value for i, value in enumerate(x) if isinstance(value, Variable)}

    def full(state: Sequence[Any]) -> list[Any]:
        rest = iter(state)
        return [fixed[i] if i in fixed else next(rest) for i in range(len(x))]

    def test(*state: Value) -> Any:
        return tf.reshape(call(a.get("cond"), full(state))[0], [])

    def body(*state: Value) -> Any:
        return tuple(value for i, value in enumerate(call(a.get("body"), full(state))) if i not in fixed)

    return tuple(full(tf.while_loop(test, body, tuple(value for i, value in enumerate(x) if i not in fixed))))


# Lists


def _array(a: Attributes, size: Value, shape: Value, grows: bool) -> Any:
    return tf.TensorArray(a.dtype("element_dtype"), size=size, dynamic_size=grows, clear_after_read=False,
                          element_shape=_dims(shape))  # fmt: skip


def _dims(shape: Value) -> list[int | None] | None:
    """The shape of elements, of which -1 says that a dimension, or all of it, is not known."""
    found = static_value(shape)
    if found is None:
        count = shape.static_shape[0] if shape.static_shape else None
        return None if count is None else [None] * count
    return [None if n < 0 else int(n) for n in found.tolist()] if found.ndim else None


@op("TensorListReserve", is_pure=False)
def _reserve(a: Attributes, shape: Value, count: Value) -> Any:
    return _array(a, number(count), shape, False)


@op("EmptyTensorList", is_pure=False)
def _empty(a: Attributes, shape: Value, most: Value) -> Any:
    return _array(a, 0, shape, True)


@op("TensorListSetItem", is_pure=False)
def _set_item(a: Attributes, array: Value, index: Value, value: Value) -> Any:
    return array.write(index, value)


@op("TensorListPushBack", is_pure=False)
def _push(a: Attributes, array: Value, value: Value) -> Any:
    return array.write(array.size(), value)


@op("TensorListGetItem", is_pure=False)
def _get_item(a: Attributes, array: Value, index: Value, shape: Value) -> Any:
    return array.read(index)


@op("TensorListLength", is_pure=False)
def _length(a: Attributes, array: Value) -> Any:
    return array.size()


@op("TensorListFromTensor", is_pure=False)
def _from_tensor(a: Attributes, x: Value, shape: Value) -> Any:
    size = tf.shape(x)[0] if x.shape[0] is None else x.shape[0]
    dims = x.shape[1:]
    made = tf.TensorArray(x.dtype, size=size, clear_after_read=False, element_shape=dims)
    return made.unstack(x)


@op("TensorListStack", is_pure=False)
def _stack(a: Attributes, array: Value, shape: Value) -> Any:
    count, dims = a.get("num_elements", -1), _dims(shape)
    found = array.stack()
    return found if dims is None else tf.ensure_shape(found, [None if count < 0 else count, *dims])


# Variables


@op("ReadVariableOp", is_pure=False)
def _read(a: Attributes, variable: Value) -> Any:
    return variable.read_value()


@op("ResourceGather", is_pure=False)
def _gather(a: Attributes, variable: Value, indices: Value) -> Any:
    if a.get("batch_dims", 0):
        raise Unread("indices for each of a batch")
    return tf.gather(variable.read_value(), indices)


@op("AssignVariableOp", acts=True)
def _assign(a: Attributes, variable: Value, value: Value) -> Any:
    variable.assign(value)
    return ()


@op("AssignAddVariableOp", acts=True)
def _assign_add(a: Attributes, variable: Value, value: Value) -> Any:
    variable.assign_add(value)
    return ()


@op("AssignSubVariableOp", acts=True)
def _assign_sub(a: Attributes, variable: Value, value: Value) -> Any:
    variable.assign_sub(value)
    return ()


@op("VariableShape", is_pure=False)
def _variable_shape(a: Attributes, variable: Value) -> Any:
    return tf.shape(variable.read_value(), a.dtype("out_type", tf.int32))


# Errors


@op("Assert", acts=True)
def _assert(a: Attributes, condition: Value, *data: Value) -> Any:
    tf.debugging.Assert(condition, [f"{each!r}" if isinstance(each, str) else each for each in data])
    return ()
