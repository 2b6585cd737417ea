"""Truth, iteration, and the built-in functions that call special methods, for objects of the user's classes."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Iterable
from types import MemberDescriptorType
from typing import Any

from autograph.runtime.tensors.tensor import Tensor

from . import arithmetic
from .attributes import get_attribute, get_subscript
from .calls import WITH_SPECIAL_METHODS, call, call_method
from .data_model.raw_attributes import raw_attribute
from .data_model.special_methods import MISSING, is_user_class, lookup, method
from .dispatch import backend_of, open_traces, owner_of
from .exceptions import trying
from .iteration import iterated
from .staging.control.refused import is_refusal
from .staging.heap.heap import staged
from .staging.heap.identities import check_key
from .staging.heap.iterators import is_iterator, moves_in_converted_code
from .stores import mut, set_item

_SPECIAL = {
    id(getattr(builtins, name)): f"__{name}__"
    for name in (
        "abs", "bytes", "complex", "dir", "float", "hash", "int", "len", "reversed", "round",
    )
}  # fmt: skip
_ITERATING = frozenset(map(id, (all, any, enumerate, filter, frozenset, list, map, set, sorted, sum, tuple, zip)))


def _set_item(container: object, index: object, value: object) -> None:
    if backend_of(container) is not None and staged(container) is container:  # a tensor has no items to set
        operator.setitem(container, index, value)
    else:
        set_item(value, container, index)


def _delete_item(container: object, index: object) -> None:
    target = mut(container)
    del target[index]


_OPERATORS = {
    id(getattr(operator, name)): getattr(arithmetic, name)
    for name in (
        "add", "eq", "floordiv", "ge", "gt", "iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul",
        "invert", "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "le", "lshift", "lt", "matmul", "mod", "mul",
        "ne", "neg", "pos", "pow", "rshift", "sub", "truediv",
    )
} | {
    id(operator.and_): arithmetic.bitand, id(operator.or_): arithmetic.bitor, id(operator.xor): arithmetic.bitxor,
    id(operator.getitem): get_subscript, id(operator.setitem): _set_item, id(operator.delitem): _delete_item,
    id(builtins.divmod): arithmetic.divmod, id(builtins.pow): arithmetic.pow,
}  # fmt: skip


def truth(value: object) -> Any:
    """What decides whether a value is true: the value itself, or what the methods of its class say; may be staged."""
    cls = type(value)
    if not open_traces or not is_user_class(cls) or owner_of(cls) is not None:
        return staged(value) if open_traces else value
    found = method(cls, "__bool__")
    if found is not None:
        result = call_method(found, value)
        if type(result) is not bool and backend_of(result) is None:
            raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
        return result
    if lookup(cls.__mro__, "__bool__") is MISSING:
        found = method(cls, "__len__")
        if found is not None:
            return call_method(found, value) != 0
    return staged(value)


@WITH_SPECIAL_METHODS.give
def with_special_methods(function: object, form: Callable[..., Any]) -> Callable[..., Any]:
    """A built-in function whose call of a special method of a user's class runs the converted one.

    ``form`` is what is called for all other arguments.
    """
    key = id(function)
    special = _SPECIAL.get(key)
    if special is not None:
        return lambda *arguments, **keywords: _special_call(special, form, arguments, keywords)
    converting = _OPERATORS.get(key)
    if converting is not None:
        return _operating(function, converting, form)
    if function is sum:
        return lambda values, start=0: _sum(form, _iterated_argument(values), start)
    if function is functools.reduce:
        return lambda step, values, *initial: form(step, _iterated_argument(values), *initial)
    if function is dict:
        return lambda *arguments, **keywords: form(*map(_pairs, arguments), **keywords)
    if function is bool:
        return lambda *arguments: form(*map(truth, arguments))
    if function is iter:
        return _iter(form)
    if function is max or function is min:
        return lambda *arguments, **keywords: form(
            *(map(_iterated_argument, arguments) if len(arguments) == 1 else arguments), **keywords
        )
    if key in _ITERATING:
        return lambda *arguments, **keywords: form(*map(_iterated_argument, arguments), **keywords)
    if function is getattr or function is hasattr:
        return _attribute_reader(function, form)
    return form


def _special_call(special: str, form: Any, arguments: Any, keywords: Any) -> Any:
    if arguments:
        if special == "__hash__":
            check_key({}, arguments[0])
        found = method(type(arguments[0]), special)
        if found is not None:
            return call_method(found, *arguments, **keywords)
    return form(*arguments, **keywords)


def _operating(function: object, converting: Callable[..., Any], form: Any) -> Callable[..., Any]:
    def operate(*arguments: Any, **keywords: object) -> Any:
        if function is pow and len(arguments) + len(keywords) == 3:
            values = (*arguments, *keywords.values())
            tensor = next((each for each in values if isinstance(each, Tensor)), None)
            return _special_call("__pow__", form, values, {}) if tensor is None else tensor.__pow__(*values[1:])
        if not _any_user(arguments):
            return form(*arguments, **keywords)
        return converting(*arguments, **keywords)

    return operate


def _any_user(values: Iterable[Any]) -> bool:
    return any(is_user_class(type(value)) for value in values)


def _sum(form: Any, values: Any, start: Any) -> Any:
    """``sum``; ``form`` does it for what are no objects of the user's classes, and no lists, which a graph may hold."""
    if isinstance(start, list) and backend_of(values) is None:
        return functools.reduce(arithmetic.add, iterated(values), start)
    if not isinstance(values, (list, tuple)) or not _any_user(values):
        return form(values, start)
    return functools.reduce(arithmetic.add, values, start)


def _iter(form: Any) -> Callable[..., Any]:
    def iter_(*arguments: Any) -> Any:
        if len(arguments) != 1:
            return form(*arguments)
        if is_iterator(arguments[0]) and not moves_in_converted_code(arguments[0]):
            return form(*arguments)
        given = staged(arguments[0])
        value = iterated(given)
        return value if value is not given else form(value)

    return iter_


def _iterated_argument(value: object) -> Any:
    return iterated(value) if is_user_class(type(value)) else value


def _pairs(values: object) -> Any:
    """What a dict is made of: of a mapping of the user's, what its converted methods give for its keys."""
    cls = type(values)
    if issubclass(cls, dict) and method(cls, "__iter__") is None:
        return values  # Python's dicts look past `keys`
    if not is_user_class(cls) or lookup(cls.__mro__, "keys") is MISSING:
        return _iterated_argument(values)
    keys = call(get_attribute(values, "keys"))()
    return [(key, get_subscript(values, key)) for key in iterated(keys)]


def _attribute_reader(function: Any, form: Any) -> Callable[..., Any]:
    def read(obj: object, name: str, *default: object) -> Any:
        if not is_user_class(type(obj)) or method(type(obj), "__getattribute__") or not isinstance(name, str):
            return form(obj, name, *default)
        if not _reads_code(obj, name):
            return form(obj, name, *default)
        handled = (AttributeError,) if function is hasattr or default else ()
        try:
            with trying(f"{function.__name__}()", lambda: handled):
                value = get_attribute(obj, name)
        except AttributeError as error:
            if is_refusal(error):
                raise
            if function is hasattr:
                return False
            if default:
                return default[0]
            raise
        if backend_of(value) is None:
            return True if function is hasattr else value
        return form(_Found(value), "value", *default)  # it may be one that is set in some runs only

    return read


class _Found:
    """Holds what a method of the user's has given for an attribute."""

    def __init__(self, value: object) -> None:
        self.value = value


def _reads_code(obj: object, name: str) -> bool:
    """Whether an attribute may be the result of a method of the user's, not one that the object holds."""
    found = lookup(type(obj).__mro__, name)
    if found is MISSING:
        return name not in raw_attribute(obj, "__dict__", ()) and method(type(obj), "__getattr__") is not None
    return hasattr(type(found), "__get__") and not callable(found) and type(found) is not MemberDescriptorType
