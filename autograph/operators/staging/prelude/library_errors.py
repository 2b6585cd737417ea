"""What library functions say of staged values that they can't take, in the words of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from autograph.errors import AutographError, StagedValueError
from autograph.runtime.base.shapes import TensorShape
from autograph.runtime.tensors.tensor import SymbolicTensor
from autograph.runtime.tensors.trace_text import is_of_library

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where
from ..values.outputs import is_staged, leaves_of

# The classes of staged values, as the errors of Python name them, and what they are to the user.
_CLASSES = {
    "SymbolicTensor": "graph tensor", "StagedList": "staged list", "StagedDict": "staged dict",
    "Elsewhere": "staged list", "StagedRange": "staged range", "Maybe": "value that may be missing",
}  # fmt: skip


def explaining(form: Callable[..., Any], function: object) -> Callable[..., Any]:
    """`form`, called for a library function, with its errors explained."""

    def called(*arguments: object, **keywords: object) -> Any:
        try:
            return form(*arguments, **keywords)
        except (TypeError, AttributeError) as error:
            raise explained(error, function, (*arguments, *keywords.values())) from error.__cause__

    return called


def explained(error: Exception, function: object, arguments: tuple[Any, ...]) -> Exception:
    """The error to raise in place of one that a library function has raised: the same, unless it is because of what is
    staged, whose class it names, or that it has been given."""
    text = str(error)
    if isinstance(error, AutographError):
        return error
    if not any(name in text for name in _CLASSES) and not (_is_raised_in_library(error) and is_staged(arguments)):
        return error
    for name, meaning in _CLASSES.items():
        text = text.replace(f"'{name}' object", meaning).replace(f"'{name}'", meaning).replace(name, meaning)
    name = raw_attribute(function, "__qualname__") or type(function).__name__
    module = raw_attribute(function, "__module__") or ""
    called = f"{module.lstrip('_')}.{name}".removeprefix("builtins.").lstrip(".")
    return StagedValueError(
        f"`{called}` needs a value that is known while the function is traced, not a staged one: {text}",
        **where(),
        construct=called,
        remedy="write it with the functions of tf, or call it by tf.py_function when the graph runs",
    )


def _is_raised_in_library(error: BaseException) -> bool:
    """Whether code of Python's library has raised an error, not what it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and is_of_library(trace.tb_frame.f_code)


def explaining_numpy(form: Callable[..., Any], function: object) -> Callable[..., Any]:
    """`form`, called for a function of NumPy, with its errors explained: NumPy has asked for a number of the graph.

    Raises (when called):
        StagedValueError: in place of what NumPy, which may have swallowed the tensor's own refusal, has raised.
    """

    def called(*arguments: object, **keywords: object) -> Any:
        try:
            return form(*arguments, **keywords)
        except (TypeError, ValueError) as error:
            if isinstance(error, AutographError) and not _asks_for_value(error):
                raise
            found = _of_numpy(function, (*arguments, *keywords.values()))
            if found is None:
                raise
            raise found from None

    return called


def _asks_for_value(error: AutographError) -> bool:
    """Whether an error is that of a graph tensor which Python, or NumPy, asks for its value."""
    return isinstance(error, StagedValueError) and (error.construct or "").startswith(("as ", "with "))


def _of_numpy(function: object, arguments: tuple[Any, ...]) -> StagedValueError | None:
    """The error of a function of NumPy that has been given something that only a run knows; None if it has not."""
    tensor = next((each for each in leaves_of(arguments) if isinstance(each, SymbolicTensor)), None)
    if tensor is not None:
        what = f"the graph tensor {tensor} has a value only when the graph runs"
    elif any(isinstance(each, TensorShape) and not each.is_fully_defined() for each in arguments):
        what = "the shape that it is given has dimensions that are known only when the graph runs"
    else:
        return None
    name = _numpy_name(function)
    instead = _counterpart(name)
    write = "" if instead is None else f"write {instead}, which takes graph tensors and tf.shape(x), or "
    return StagedValueError(
        f"np.{name} needs Python's numbers while the function is traced: {what}",
        **where(),
        construct=f"np.{name}",
        remedy=f"{write}call np.{name} when the graph runs, by tf.numpy_function",
    )


def _numpy_name(function: object) -> str:
    """What a function, or the method of a generator, is called after `np.`."""
    owner = raw_attribute(function, "__self__")
    is_of_module = owner is None or isinstance(owner, ModuleType)
    module = raw_attribute(function, "__module__") if is_of_module else type(owner).__module__
    space = ".".join([each for each in (module or "").split(".")[1:] if not each.startswith(("_", "mtrand"))])
    if not is_of_module and not space:
        space = "random" if "random" in type(owner).__module__ else type(owner).__name__
    return f"{space}.{raw_attribute(function, '__name__', '')}".lstrip(".")


def _counterpart(name: str) -> str | None:
    """The function of `tf` that does the same as one of NumPy: as a rule that of the same name."""
    path = _OTHER_NAMES.get(name, name)
    found: Any = sys.modules["autograph"]
    for part in path.split("."):
        found = getattr(found, part, None)
    return f"tf.{path}" if callable(found) else None


_OTHER_NAMES = {
    "arange": "range", "empty": "zeros", "full": "fill", "identity": "eye", "take": "gather", "power": "pow",
    **dict.fromkeys(("random.rand", "random.random", "random.random_sample"), "random.uniform"),
    **dict.fromkeys(("random.randint", "random.integers"), "random.uniform"),
    **dict.fromkeys(("random.randn", "random.standard_normal"), "random.normal"),
    **dict.fromkeys(("random.permutation", "random.choice"), "random.shuffle"),
}  # fmt: skip
"""Functions of NumPy whose counterparts have other names."""
