"""Arithmetic and comparisons in staged forms: Python's own on everything but objects of the user's classes.

For those, the protocol of Python's data model is followed with the converted methods: the operand on the right goes
first when its class inherits from that of the left one and has a method of its own, ``NotImplemented`` passes on.
"""

from __future__ import annotations

import builtins
import dataclasses
import operator
from collections import deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numpy import ndarray

from autograph.runtime.base.dtypes import string
from autograph.runtime.tensors.tensor import Tensor

from .calls import call, call_method
from .data_model.special_methods import MISSING, is_generated, is_user_class, lookup, method
from .dispatch import Backend, active, backend_of, backend_of_array
from .iteration import iterated
from .staging.heap import state
from .staging.heap.forms import Form, held_by, original
from .staging.heap.heap import staged, watching
from .staging.heap.identities import refuse_compared, same
from .staging.heap.iterators import use as use_iterator

Binary = Callable[[Any, Any], Any]

# Asked before all else, for speed.
_PLAIN = frozenset((int, float, bool, complex, str, bytes, list, tuple, dict, type(None)))
_CONTAINERS = (list, tuple, dict)
_CHANGING = (list, dict)
_REFLECTED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
_NOTED = (list, dict, set, deque, bytearray)
_SYMBOLS = {"ior": "|", "iand": "&", "isub": "-", "ixor": "^"}


def made(value: object) -> Any:
    """A container that an operator has just made: what happens to it is no change of what is older."""
    if state.stack():
        state.created(value)
    return value


def _binary(name: str, symbol: str) -> Binary:
    native = builtins.divmod if name == "divmod" else getattr(operator, name)
    bare = name.strip("_")
    forward, backward = f"__{bare}__", f"__r{bare}__"

    def operate(left: object, right: Any) -> Any:
        if _are_users(left, right):
            return _operate(left, right, forward, backward, native, symbol)
        if watching():
            left, right = staged(left), staged(right)
        result = native(left, right)
        if type(left) in _PLAIN and type(right) in _PLAIN:
            return made(result) if type(result) in _CHANGING else result
        return made(result) if type(result) is ndarray else result

    operate.__name__ = operate.__qualname__ = name
    return operate


def _are_users(left: object, right: object) -> bool:
    """Whether one of two operands is an object of a user's class."""
    if type(left) in _PLAIN and type(right) in _PLAIN:
        return False
    return is_user_class(type(left)) or is_user_class(type(right))


def _operate(left: object, right: object, forward: str, backward: str, native: Binary, symbol: str) -> Any:
    left_class, right_class = type(left), type(right)
    first = method(left_class, forward)
    second = method(right_class, backward) if right_class is not left_class else None
    if first is None and second is None:
        return native(staged(left), staged(right))
    tried = False
    if second is not None and _goes_first(left_class, right_class, forward, backward):
        result = call_method(second, right, left)
        if result is not NotImplemented:
            return result
        tried = True
    result = _try(first, left_class, forward, left, right)
    if result is NotImplemented and right_class is not left_class and not tried:
        result = _try(second, right_class, backward, right, left)
    if result is NotImplemented:
        raise TypeError(
            f"unsupported operand type(s) for {symbol}: '{left_class.__name__}' and '{right_class.__name__}'"
        )
    return result


def _goes_first(left: type, right: type, forward: str, backward: str) -> bool:
    """Whether the operand on the right is asked first."""
    if issubclass(right, left):
        return lookup(right.__mro__, backward) is not lookup(left.__mro__, backward)
    if _is_staged_class(left):
        return True
    # Sequences join others only when no number-like operand has answered.
    return forward in ("__add__", "__mul__") and hasattr(left, "__len__") and _is_builtin_sequence(left)


def _is_staged_class(cls: type) -> bool:
    """Whether instances are tensors: their own methods would make a tensor of the other operand."""
    return cls.__module__.startswith("autograph.")


def _is_builtin_sequence(cls: type) -> bool:
    return issubclass(cls, (list, tuple, str, bytes, bytearray))


def _try(found: FunctionType | None, cls: type, name: str, obj: object, other: object) -> Any:
    if found is not None:
        return call_method(found, obj, other)
    obj, other = staged(obj), staged(other)
    cls = type(obj)
    native = lookup(cls.__mro__, name)
    if native is MISSING or native is None:
        return NotImplemented
    return native.__get__(obj, cls)(other)


def _in_place(name: str, binary: Binary) -> Binary:
    native = getattr(operator, name)
    special = f"__{name}__"

    def operate(left: Any, right: Any) -> Any:
        staging = backend_of_array(left)
        if staging is not None:
            updated = staging.update_array(binary, left, right)
            if updated is not NotImplemented:
                return updated
        if _are_users(left, right):
            return change_by_method(left, right)
        if watching():
            return original(change(staged(left), staged(right)))
        return change(left, right)

    def change_by_method(left: object, right: object) -> Any:
        cls = type(left)
        found = method(cls, special)
        if found is not None:
            result = call_method(found, left, right)
            return binary(left, right) if result is NotImplemented else result
        if not hasattr(cls, special):
            return binary(left, right)
        if isinstance(left, list) and (second := method(type(right), f"__r{name[1:]}__")) is not None:
            result = call_method(second, right, left)  # before a list takes what it gets
            if result is not NotImplemented:
                return result
        right = iterated(right) if isinstance(left, list) and name == "iadd" else staged(right)
        return original(change(staged(left), right))

    def change(left: object, right: object) -> Any:
        if isinstance(left, _NOTED):
            if name == "iadd" and isinstance(left, list) and isinstance(right, Form):
                call(list.extend)(left, right)
                return left
            if isinstance(left, set) and isinstance(right, Form):
                right.check_update_of_a_set(_SYMBOLS.get(name, ""))
            use_iterator(right, "`+=`")
            state.about_to_change(left)
        return native(left, right)

    operate.__name__ = operate.__qualname__ = name
    return operate


def _unary(name: str) -> Callable[[Any], Any]:
    native = getattr(operator, name)
    special = f"__{name}__"

    def operate(value: object) -> Any:
        found = method(type(value), special)
        if found is not None:
            return call_method(found, value)
        return native(staged(value) if watching() else value)

    operate.__name__ = operate.__qualname__ = name
    return operate


def _comparison(name: str, reflected: str, symbol: str) -> Binary:
    native = _by_parts(name)
    forward, backward = f"__{name}__", f"__{reflected}__"

    def operate(left: object, right: object) -> Any:
        left_class, right_class = type(left), type(right)
        if not _are_users(left, right):
            if watching():
                left, right = staged(left), staged(right)
            if type(left) not in _PLAIN or type(right) not in _PLAIN:
                refuse_compared(left, right)
            return native(left, right)
        if _comparing(left_class, forward) is None and _comparing(right_class, backward) is None:
            return native(staged(left), staged(right)) if watching() else native(left, right)
        sides = [(left, right, forward), (right, left, backward)]
        if right_class is not left_class and (issubclass(right_class, left_class) or _is_staged_class(left_class)):
            sides.reverse()
        for obj, other, special in sides:
            result = _compared(obj, other, special)
            if result is not NotImplemented:
                return result
        if name in ("eq", "ne"):
            found = same(left, right)
            return found if name == "eq" else _negated(found)
        raise TypeError(
            f"'{symbol}' not supported between instances of '{left_class.__name__}' and '{right_class.__name__}'"
        )

    operate.__name__ = operate.__qualname__ = name
    return operate


def _by_parts(name: str) -> Binary:
    """Python's own comparison, but of containers and dataclasses by their parts where one of those may be staged."""
    native = getattr(operator, name)
    special = "__eq__" if name == "ne" else f"__{name}__"
    is_equality = name in ("eq", "ne")

    def compare(left: object, right: object) -> Any:
        if isinstance(left, _CONTAINERS) and isinstance(right, _CONTAINERS):
            backend = backend_within(left, right)
            return native(left, right) if backend is None else backend.compare(native, left, right)
        cls = type(left)
        if cls is type(right) and left is not right and dataclasses.is_dataclass(cls):
            found = lookup(cls.__mro__, special)
            if isinstance(found, FunctionType) and is_generated(found):
                return compare(_compared_fields(left), _compared_fields(right))
        if is_equality and lookup(cls.__mro__, "__eq__") is object.__eq__:
            found = same(left, right)
            if found is not False:
                return found if name == "eq" else _negated(found)
        if is_equality and (_is_number_beside(left, right) or _is_number_beside(right, left)):
            return name == "ne"
        return native(left, right)

    return compare


def _is_number_beside(text: object, value: object) -> bool:
    """Whether a value beside a text is a number of a graph, which Python takes for another thing than the text."""
    if not isinstance(text, (str, bytes)) or not isinstance(value, Tensor):
        return False
    return value.static_shape == () and value.dtype is not string


def _negated(truth: object) -> Any:
    backend = backend_of(truth)
    return not truth if backend is None else backend.not_(truth)


def backend_within(*values: object) -> Backend | None:
    """The back end of what some values hold at any depth: of a staged part; for the user's objects, the active one."""
    pending, seen, objects = list(values), set(), False
    while pending:
        each = held_by(staged(pending.pop()))
        if isinstance(each, _CONTAINERS):
            if id(each) not in seen:
                seen.add(id(each))
                pending.extend(each.values() if isinstance(each, dict) else each)
        elif type(each) not in _PLAIN:
            found = backend_of(each)
            if found is not None:
                return found
            objects = objects or is_user_class(type(each))
    return active() if objects else None


def _compared_fields(obj: Any) -> tuple[Any, ...]:
    """What the methods compare that `dataclass` makes."""
    return tuple(getattr(obj, field.name) for field in dataclasses.fields(obj) if field.compare)


def _comparing(cls: type, name: str) -> FunctionType | None:
    """The converted function that answers a comparison: ``!=`` may be answered by ``__eq__``."""
    found = method(cls, name)
    if found is None and name == "__ne__" and lookup(cls.__mro__, name) is object.__ne__:
        return method(cls, "__eq__")
    return found


def _compared(obj: object, other: object, name: str) -> Any:
    cls = type(obj)
    found = _comparing(cls, name)
    if found is None:
        obj, other = staged(obj), staged(other)
        made = getattr(type(obj), name)(obj, other)
        reflect = isinstance(obj, _CHANGING) and isinstance(other, Form) and made is NotImplemented
        return getattr(type(other), _REFLECTED.get(name, name))(other, obj) if reflect else made
    result = call_method(found, obj, other)
    if name == "__ne__" and method(cls, name) is None and result is not NotImplemented:
        backend = backend_of(result)
        return (not result) if backend is None else backend.not_(result)
    return result


add, sub, mul = _binary("add", "+"), _binary("sub", "-"), _binary("mul", "*")
matmul, truediv, floordiv = _binary("matmul", "@"), _binary("truediv", "/"), _binary("floordiv", "//")
mod, pow = _binary("mod", "%"), _binary("pow", "** or pow()")
lshift, rshift = _binary("lshift", "<<"), _binary("rshift", ">>")
divmod = _binary("divmod", "divmod()")
bitand, bitor, bitxor = _binary("and_", "&"), _binary("or_", "|"), _binary("xor", "^")

iadd, isub, imul = _in_place("iadd", add), _in_place("isub", sub), _in_place("imul", mul)
imatmul, itruediv = _in_place("imatmul", matmul), _in_place("itruediv", truediv)
ifloordiv, imod, ipow = _in_place("ifloordiv", floordiv), _in_place("imod", mod), _in_place("ipow", pow)
ilshift, irshift = _in_place("ilshift", lshift), _in_place("irshift", rshift)
iand, ior, ixor = _in_place("iand", bitand), _in_place("ior", bitor), _in_place("ixor", bitxor)

neg, pos, invert = _unary("neg"), _unary("pos"), _unary("invert")

eq, ne = _comparison("eq", "eq", "=="), _comparison("ne", "ne", "!=")
lt, gt = _comparison("lt", "gt", "<"), _comparison("gt", "lt", ">")
le, ge = _comparison("le", "ge", "<="), _comparison("ge", "le", ">=")
