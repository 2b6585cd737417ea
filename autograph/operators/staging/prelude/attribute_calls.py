"""`hasattr` and `getattr` while a graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.base import dtypes
from autograph.runtime.ops.text.text import text_op
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...variables import UNDEFINED
from ..control.cond import if_stmt
from ..control.errors import type_error
from ..control.refused import is_refusal
from ..values.maybe import Maybe
from .staged_values import is_staged


def hasattr_(obj: object, name: str) -> Any:
    """``hasattr``: staged when the attribute may have been deleted, or not set yet."""
    try:
        value = getattr(obj, name)
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
    try:
        value = getattr(obj, name)
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
        python = python_type(obj)
        return python is not None and hasattr(python, name)
    return is_refusal(error)


def python_type(tensor: SymbolicTensor) -> type | None:
    """The type of the Python value that a graph tensor stands for; what methods of strings give is of their type."""
    is_text = tensor.op.op is text_op and tensor.dtype is dtypes.string
    return (tensor.python if tensor.python is not np.ndarray else None) or (str if is_text else None)
