"""Attributes of staged values, `hasattr` and `getattr` while a graph is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import MutationError, StagedAttributeError, StagedValueError
from autograph.runtime.base.dtypes import OF_NUMPY, int32, string
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.lists.lists import from_tensor_op
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.ops.text.text import text_op
from autograph.runtime.tensors.operator_methods import KINDS
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ...attributes import get_attribute
from ...variables import UNDEFINED
from ..control.cond import if_stmt
from ..control.errors import type_error, where
from ..control.refused import is_refusal
from ..heap import array_forms, heap, refusals, state
from ..heap.array_memory import is_array, is_tensor
from ..heap.attributes import attribute_dicts
from ..heap.forms import Form
from ..heap.locations import Attribute
from ..outside import stored
from ..values.chosen import Chosen
from ..values.dicts import StagedDict
from ..values.lists import ListState, kind_of, staged
from ..values.maybe import Maybe
from ..values.specs import Leaf, ListOf, as_number
from .array_calls import changing_method
from .staged_values import is_staged


def attribute(value: Any, name: str) -> Any:
    """``value.name`` for a staged list or dict, or a graph tensor that may stand for a Python number or string, or for
    an array: as of those.

    Raises:
        AttributeError: Python's own values have no such attribute, whether staged ones have it or not.
    """
    if isinstance(value, Chosen):
        return value.alike(lambda each: get_attribute(each, name))
    return _of_form(value, name) if isinstance(value, Form) else _of_tensor(value, name)


def _of_form(form: Form, name: str) -> Any:
    kind = class_of(form)
    if not hasattr(kind, name):
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'", name=name, obj=form)
    if name == "__class__":
        return kind
    return _of_all_objects(form, kind, name) or getattr(form, name)


def _of_all_objects(value: object, kind: type, name: str) -> Any:
    """An attribute that Python gives to all objects; None for those that staged values have of their own.

    Raises:
        StagedAttributeError: it would tell of the staged value.
    """
    if name == "__doc__":
        return kind.__doc__
    if name == "__dir__":
        return lambda: dir(kind)
    if name in vars(object) and getattr(type(value), name) is getattr(object, name):
        raise StagedAttributeError(
            f"`x.{name}` of what only a run of the graph knows: it would tell of what stands for the {kind.__name__}",
            **where(),
            construct=name,
            remedy="use operators, str(x), repr(x), format(x), or call it by tf.py_function",
        )
    return None


def _of_tensor(tensor: SymbolicTensor, name: str) -> Any:
    changing = changing_method(tensor, name) if is_tensor(tensor) else None
    if changing is not None:
        return changing
    if tensor.python is None:
        return getattr(heap.staged(tensor), name)
    kind = class_of(tensor)
    if not hasattr(kind, name):
        raise _no_attribute(tensor, kind, name)
    if name == "__class__":
        return kind
    general = _of_all_objects(tensor, kind, name)
    if general is not None:
        return general
    found = _OF_ARRAYS.get(name) if tensor.python in OF_NUMPY else None
    return getattr(heap.staged(tensor), name) if found is None else found(tensor)


def _no_attribute(tensor: SymbolicTensor, kind: type, name: str) -> AttributeError:
    module = "numpy." if tensor.python in OF_NUMPY else ""
    error = AttributeError(f"'{module}{kind.__name__}' object has no attribute '{name}'", name=name, obj=tensor)
    if hasattr(SymbolicTensor, name):
        error.add_note(f"Remedy: write tf.convert_to_tensor(x).{name} for that of a tensor")
    return error


def class_of(tensor: Any) -> type:
    """The class of the Python value that a staged one stands for; of a graph tensor by its methods: of a string, or of
    an array."""
    if isinstance(tensor, Form):
        obj = heap.original(tensor)
        return dict if isinstance(obj, StagedDict) else kind_of(obj)
    sometimes_bool.check(tensor, "the class")
    if tensor.python is np.generic:
        return np.str_ if tensor.dtype is string else tensor.dtype.numpy.type
    is_text = tensor.op.op is text_op and tensor.dtype is string
    return tensor.python or (str if is_text else type(tensor))


def _shape(array: SymbolicTensor) -> Any:
    """The shape as arrays have it: a tuple of numbers, of which the run tells those that are not known."""
    shape, dimensions = array.static_shape, OPS["shape"]
    if shape is None:
        handle = from_tensor_op(dimensions(array))
        return staged(ListState(ListOf(Leaf(int32, (), int), tuple), (handle,)))
    return tuple([as_number(dimensions(array)[i], int) if each is None else each for i, each in enumerate(shape)])


_OF_ARRAYS: dict[str, Callable[[SymbolicTensor], Any]] = {
    "shape": _shape,
    "ndim": lambda array: as_number(OPS["rank"](array), int) if array.static_shape is None else array.ndim,
    "size": lambda array: as_number(np.size(array), int),
    "dtype": lambda array: array.dtype.numpy,
    "device": lambda array: "cpu",
}


def _read(obj: object, name: str) -> Any:
    return attribute(obj, name) if isinstance(obj, (SymbolicTensor, Form, Chosen)) else getattr(obj, name)


def set_attribute(obj: Any, name: str, value: object) -> None:
    """``obj.name = value``, for an array or a staged value: those of Python have no attributes to set.

    Raises:
        AttributeError: it is none of an array.
        MutationError: only a run knows of which function the attribute is.
    """
    _change(array_forms.set_attribute if is_array(obj) else setattr, obj, name, value)


def delete_attribute(obj: object, name: str) -> None:
    """``del obj.name``, for the same, with the same errors."""
    _change(delattr, obj, name)


def _change(change: Callable[..., None], obj: object, name: str, *values: object) -> None:
    """Sets or deletes an attribute of a value of Python of the class that a staged one stands for, to get its error."""
    if isinstance(obj, Chosen):
        raise MutationError(
            f"the attribute `{name}` of one of several functions or classes, as a staged condition decides, is changed",
            **where(),
            construct=name,
            remedy="change it in each branch of an `if`, under the names of the functions",
        )
    try:
        change(obj if is_array(obj) else _sample(class_of(obj)), name, *values)
    except AttributeError as error:
        raise AttributeError(*error.args, name=name, obj=obj) from None


def _sample(kind: type) -> Any:
    """A value without attributes of a class that staged values stand for."""
    return Tensor() if issubclass(kind, Tensor) else np.empty(()) if kind is np.ndarray else kind()


def setattr_(obj: object, name: str, value: object) -> None:
    """``setattr``."""
    if is_array(obj) or has_no_attributes(obj):
        set_attribute(obj, name, value)
        return
    state.about_to_change(obj)
    refusals.refuse_attribute(obj, name)
    refusals.refuse_kept_attribute(obj, name, value)
    stored.note(obj, lambda: Attribute(obj, name))
    setattr(obj, name, value)


def delattr_(obj: object, name: str) -> None:
    """``delattr``."""
    if has_no_attributes(obj):
        delete_attribute(obj, name)
    state.about_to_change(obj)
    refusals.refuse_attribute(obj, name)
    attribute_dicts.before_delete(obj, name)
    delattr(obj, name)


def has_no_attributes(obj: object) -> bool:
    """Whether something staged stands for a value of Python that has no attributes to set, or for functions."""
    return isinstance(obj, (Form, Chosen, SymbolicTensor))


def dir_(*objects: Any) -> list[str]:
    """``dir``."""
    if len(objects) == 1 and isinstance(objects[0], (Form, SymbolicTensor)):
        return dir(class_of(objects[0]))
    found: list[str] = (attribute_dicts.replacement(dir) or dir)(*objects)
    return found


def hasattr_(obj: object, name: str) -> Any:
    """``hasattr``: staged when the attribute may have been deleted, or not set yet."""
    if isinstance(obj, Chosen):
        return obj.alike(lambda each: hasattr_(each, name))
    try:
        value = _read(obj, name)
    except AttributeError as error:
        if _may_have(obj, name, error):
            raise
        return False
    if type(value) is Maybe and value.ag__missing is UNDEFINED:
        return value.ag__flag
    return True


def getattr_(obj: object, name: str, *default: object) -> Any:
    """``getattr``."""
    if is_staged(name):
        raise type_error("getattr() with a name that only the run knows", "choose the attribute in an `if`")
    if isinstance(obj, Chosen):
        return obj.alike(lambda each: getattr_(each, name, *default))
    try:
        value = _read(obj, name)
    except AttributeError as error:
        if not default or _may_have(obj, name, error):
            raise
        return default[0]
    if type(value) is not Maybe or value.ag__missing is not UNDEFINED:
        return value
    if not default:
        return value.ag__checked()
    return if_stmt(value.ag__flag, lambda: value.ag__value, lambda: default[0], ())


def _may_have(obj: object, name: str, error: AttributeError) -> bool:
    """Whether an object may have, in a run of the program as Python, an attribute that can't be read now."""
    if isinstance(obj, SymbolicTensor):  # eager ones have no others
        return hasattr(class_of(obj), name)
    return is_refusal(error)


def is_instance(tensor: SymbolicTensor, kinds: Any) -> bool:
    """``isinstance`` of the Python value that a graph tensor stands for.

    Raises:
        StagedValueError: it is an array of rank 0, or a number of NumPy's or Python's, and the answer would tell which.
    """
    kind = class_of(tensor)
    if not _may_be_number(tensor):
        return kind is not type(tensor) and isinstance(kind(0) if kind is np.ndarray else kind(), kinds)
    dtype = tensor.dtype
    found = {isinstance(each, kinds) for each in (np.empty(()), dtype.numpy.type(), KINDS[dtype.kind]())}
    if len(found) > 1:
        raise _unknown_class("isinstance")
    return found.pop()


def known_class_of(tensor: SymbolicTensor) -> type:
    """``type`` of that.

    Raises:
        StagedValueError: it is an array of rank 0, or a number of NumPy's or Python's.
    """
    if _may_be_number(tensor):
        raise _unknown_class("type")
    return class_of(tensor)


def _may_be_number(tensor: SymbolicTensor) -> bool:
    return tensor.python is np.ndarray and tensor.static_shape in ((), None)


def _unknown_class(function: str) -> StagedValueError:
    return StagedValueError(
        f"{function}() is asked whether a value is an array, or a number of NumPy's or Python's: only the run knows",
        **where(),
        construct=function,
        remedy="make it a number of Python's before, by float(x) or int(x)",
    )
