"""Python's built-in functions on staged values; on plain values each is the built-in itself."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.base.places import warn
from autograph.runtime.base.streams import Stream
from autograph.runtime.functions import repetitions
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.state.variable import Variable
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.tensor import SymbolicTensor, Tensor

from ... import strings
from ...calls import call
from ...data_model import frame_readers
from ...data_model.special_methods import method
from .. import asked
from ..control import conditions
from ..control.branches import tried
from ..control.errors import require, type_error, where
from ..heap import heap, iterators, state
from ..heap.aliases import has_others
from ..heap.attributes import attribute_dicts
from ..heap.forms import Form
from ..values import lookups
from ..values.chosen import Chosen
from ..values.dicts import StagedDict
from ..values.iterables import Indexed, StagedRange, iterable, length_of
from ..values.lists import StagedList, kind_of
from ..values.maybe import Maybe
from ..values.specs import as_number
from ..values.truths import Truth
from . import library, text
from .attribute_calls import class_of, delattr_, dir_, getattr_, hasattr_, is_instance, known_class_of, setattr_
from .composed_iterables import Enumerate, Filter, Iterator, Map, Reversed, Zip
from .sequences import (
    all_,
    any_,
    fit,
    has_staged,
    is_staged,
    len_,
    length_hint_,
    list_,
    max_,
    min_,
    reduce_,
    set_,
    sorted_,
    sum_,
    tuple_,
    unwrapped,
)
from .user_order import has_objects, holds_staged
from .whole_numbers import to_whole


def int_(*arguments: Any, **keywords: object) -> Any:
    """``int``: a fraction is cut off."""
    if not is_staged(*arguments):
        return int(*arguments, **keywords)
    if len(arguments) > 1 or keywords:
        return apply_text("int", *arguments, *keywords.values())
    value = convert_to_tensor(unwrapped(arguments[0]))
    require_one(value, "int()")
    if value.dtype is dtypes.string:
        return OPS["string_to_number"](value, dtype=dtypes.int32)
    if value.dtype.is_integer:
        return OPS["identity"](value) if sometimes_bool.is_one(value) else value
    return to_whole(value, dtypes.int64 if value.dtype is dtypes.float64 else dtypes.int32)


def float_(*arguments: Any) -> Any:
    """``float``: whole numbers become float32 (float64 from 64 bits), floats keep their dtype."""
    if not is_staged(*arguments):
        return float(*arguments)
    fit(float, arguments)
    value = convert_to_tensor(unwrapped(arguments[0]))
    require_one(value, "float()")
    if value.dtype is dtypes.string:
        return OPS["string_to_number"](value, dtype=dtypes.float32)
    if value.dtype.is_floating:
        return value
    return OPS["cast"](value, dtype=dtypes.float64 if value.dtype.size == 8 else dtypes.float32)


def id_(value: object) -> int:
    """``id``: refused for a staged value, which is another object in each trace, and for what merging has made."""
    if is_staged(value) or has_others(value):
        raise StagedValueError(
            "id() of what a graph holds is that of an object of the trace, not of a value",
            **where(),
            construct="id",
            remedy="compare values with `==`, or use tensor.ref() as a key",
        )
    return id(value)


def complex_(*arguments: Any, **keywords: Any) -> Any:
    """``complex`` of numbers: of complex64 for floats of 32 bits, else of complex128."""
    staged = is_staged(*arguments, *keywords.values())
    return _complex_of(*arguments, **keywords) if staged else complex(*arguments, **keywords)


def _complex_of(real: object = 0, imag: object = 0) -> Any:
    parts = [convert_to_tensor(unwrapped(each)) for each in (real, imag)]
    for each in parts:
        require_one(each, "complex()")
        if not (each.dtype.is_integer or each.dtype.is_floating):
            raise type_error(f"complex() of a {each.dtype.name} tensor", "write tf.cast(x, tf.complex64)")
    small = all(_is_float32(each) or not is_staged(part) for each, part in zip(parts, (real, imag), strict=True))
    dtype = dtypes.float32 if small else dtypes.float64
    return OPS["complex"](*[OPS["cast"](each, dtype=dtype) for each in parts])


def _is_float32(tensor: Tensor) -> bool:
    return tensor.dtype.is_floating and tensor.dtype.size <= 4


def type_of_tensor(*_: object) -> Any:
    """What ``type(x)(…)`` calls."""
    raise type_error("type(x) of a graph tensor makes no tensors", "write tf.cast(value, x.dtype)")


def bool_(*arguments: object) -> Any:
    """``bool``."""
    staged = is_staged(*arguments) or (len(arguments) == 1 and isinstance(arguments[0], (StagedDict, Chosen)))
    if not staged:
        return bool(*arguments)
    if len(arguments) > 1:
        fit(bool, arguments)
    return conditions.truth(arguments[0])


def require_one(value: Tensor, what: str) -> None:
    """Refuses a tensor that has axes."""
    if value.static_shape is not None and value.static_shape != ():
        instead = "tf.cast" if what.endswith("()") else "that of tf.math, such as tf.math.sqrt,"
        raise type_error(
            f"{what} takes one number, not a tensor of shape {value.shape}", f"use {instead} for all of them"
        )


def str_(*arguments: object, **keywords: object) -> Any:
    """``str``."""
    return _text(str, "s", arguments) if len(arguments) == 1 and not keywords else str(*arguments, **keywords)


def repr_(value: object) -> Any:
    """``repr``."""
    return _text(repr, "r", (value,))


def ascii_(value: object) -> Any:
    """``ascii``."""
    return _text(ascii, "a", (value,))


def _text(function: Callable[..., Any], conversion: str, arguments: tuple[Any]) -> Any:
    """The text of a value; an eager tensor and a variable have one of their own, which describes them."""
    if isinstance(arguments[0], (Tensor, Variable)) and not is_staged(*arguments):
        return function(*arguments)
    return text.format_value(arguments[0], conversion, "")


def format_(value: object, specification: object = "") -> Any:
    """``format``."""
    return text.format_value(value, None, specification)


def range_(*arguments: Any) -> Any:
    """``range``."""
    if not is_staged(*arguments):
        return range(*arguments)
    fit(range, arguments)
    bounds = [unwrapped(each) for each in arguments]
    for each in bounds:
        if isinstance(each, Tensor) and not each.dtype.is_integer:
            raise type_error(f"range() takes whole numbers, not {each.dtype.name}", "write tf.cast(x, tf.int32)")
    bounds = [as_number(each, int) for each in bounds]
    first, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1
    if is_staged(step):
        require(step != 0, ValueError("range() arg 3 must not be zero"))
    return StagedRange(first, stop, step)


def iter_(*arguments: Any) -> Any:
    """``iter``; what a staged value gives serves one loop."""
    arguments = tuple(value.value() if isinstance(value, Variable) else value for value in arguments)
    if len(arguments) != 1 or not is_staged(*arguments):
        return iter(*arguments)
    values = iterable(arguments[0])
    return values if values.once else Iterator(values)


def enumerate_(values: Any, start: Any = 0) -> Any:
    """``enumerate``."""
    return Enumerate(iterable(values), start) if is_staged(values, start) else enumerate(values, start)


def zip_(*iterables: object, strict: bool = False) -> Any:
    """``zip``."""
    if not is_staged(*iterables):
        return zip(*iterables, strict=strict)
    if any(map(_are_names, iterables)):
        known = [_items(each) for each in iterables]
        if None not in known:
            return zip(*known, strict=strict)
    parts = [iterable(each) for each in iterables]
    if strict:
        lengths = [part.length() for part in parts]
        for position, length in enumerate(lengths[1:], start=2):
            require(lengths[0] == length, ValueError(f"zip() argument {position} differs in length from argument 1"))
    return Zip(parts)


def _are_names(values: object) -> bool:
    """Whether these are strings of Python, which may be keys of a dict."""
    return isinstance(values, str) or (isinstance(values, (list, tuple)) and all(isinstance(x, str) for x in values))


def _items(values: object) -> list[Any] | None:
    """The items, where their number is known while tracing."""
    if isinstance(values, Tensor):
        length = length_of(values)
        return [values[index] for index in range(length)] if isinstance(length, int) else None
    return list(values) if isinstance(values, (list, tuple, str, range)) else None


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """``map``."""
    if is_staged(*iterables):
        return Map(function, [iterable(each) for each in iterables])
    return map(heap.guarding(call(function), iterables), *iterables)


def filter_(function: Callable[..., Any], values: Any) -> Any:
    """``filter``; a staged test of Python values gives what a staged loop can run over."""
    if is_staged(values):
        return Filter(function, iterable(values))
    if isinstance(values, (list, tuple)) and (has_staged(values) or (has_objects(values) and holds_staged(values))):
        item = (lambda value: value) if function is None else call(function)

        def test(value: object) -> Any:
            return conditions.truth(item(value))

        known = list(values)  # as the test may make the list longer
        if tried(lambda: is_staged(*map(test, known))):
            return Filter(function, iterable(values))
        return filter(heap.guarding(test, (values,)), values)
    return filter(None if function is None else heap.guarding(library.deciding(function, filter), (values,)), values)


def reversed_(values: Any) -> Any:
    """``reversed``."""
    if not is_staged(values):
        return reversed(values)
    inner = iterable(values)
    if isinstance(inner, StagedRange) or (isinstance(inner, Indexed) and not inner.once):
        return Reversed(inner)
    raise type_error(f"reversed() of {values!r}, which has no length", "make a list of it first")


def round_(number: Any, ndigits: Any = None) -> Any:
    """``round``: to an int when no number of digits is given."""
    if is_staged(ndigits):
        raise StagedValueError(
            "round() to a number of digits that only the run tells",
            **where(),
            construct="round",
            remedy="pass a Python int, or write round(x * 10.0 ** digits) / 10.0 ** digits",
        )
    if not is_staged(number):
        return round(number) if ndigits is None else round(number, ndigits)
    number = unwrapped(number)
    python = getattr(number, "python", None)
    if ndigits is None and isinstance(number, Tensor) and number.dtype.is_floating:
        return as_number(to_whole(OPS["round"](number, decimals=0), dtypes.int64), python and int)
    return as_number(number.__round__() if ndigits is None else number.__round__(ndigits), python)


def isinstance_(value: object, kinds: Any) -> Any:
    """``isinstance``: a staged list is a list, a staged range a range."""
    if isinstance(kinds, Chosen):
        return kinds.with_each(lambda kind: isinstance_(value, kind))
    if isinstance(value, Chosen):
        return value.alike(lambda each: isinstance_(each, kinds))
    if type(value) is Maybe:
        if value.ag__missing is not None:
            return isinstance_(value.ag__checked("is tested by isinstance"), kinds)
        there = isinstance_(value.ag__value, kinds)
        if there == isinstance(None, kinds):
            return there
        return value.ag__flag if there else conditions.not_(value.ag__flag)
    if isinstance(value, Truth):
        raise value.ag__mismatch
    value = heap.original(value)
    if isinstance(value, StagedList):
        return isinstance(kind_of(value)(), kinds)
    if isinstance(value, SymbolicTensor):
        return is_instance(value, kinds) or (value.python is None and isinstance(value, kinds))
    if isinstance(value, StagedDict):
        return isinstance({}, kinds)
    return isinstance(range(0), kinds) if isinstance(value, StagedRange) else isinstance(value, kinds)


def callable_(value: object) -> Any:
    """``callable``."""
    if type(value) is Maybe:
        return conditions.and_(value.ag__flag, lambda: callable_(value.ag__value))
    return value.alike(callable) if isinstance(value, Chosen) else callable(value)


def type_(*arguments: Any, **keywords: Any) -> Any:
    """``type``: of a number or string that only the graph knows, that of the number."""
    if len(arguments) == 3 and isinstance(arguments[2], dict):
        return _making(frame_readers.make_class)(type, *arguments, **keywords)
    if len(arguments) == 1 and isinstance(arguments[0], Truth):
        raise arguments[0].ag__mismatch
    if len(arguments) == 1 and isinstance(arguments[0], Chosen):
        return arguments[0].alike(type)
    if len(arguments) == 1 and isinstance(arguments[0], Form):
        return class_of(arguments[0])
    if len(arguments) == 1 and isinstance(arguments[0], SymbolicTensor):
        return known_class_of(arguments[0])
    return type(*arguments, **keywords)


def _giving(function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    @functools.wraps(function)
    def give(*arguments: object, **keywords: object) -> Any:
        return as_number(function(*arguments, **keywords), kind)

    return give


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose result nothing else knows yet."""

    @functools.wraps(function)
    def make(*arguments: object, **keywords: object) -> Any:
        result = function(*arguments, **keywords)
        state.created(result)
        return result

    return make


class FrozenIteratorWarning(UserWarning):
    """What ``next(iterator)`` gives while a function is traced is a constant of its graph."""


_FROZEN = (
    "next() of a Python iterator from outside a traced function runs while the function is traced: its value is frozen "
    "in the graph, and later calls take no further items. Call next() before and pass the item, or use tf.data.Dataset"
)


def next_(iterator: Any, *default: Any) -> Any:
    """``next``: when tracing, once; in a staged body only for iterators made there."""
    if is_staged(iterator) and not isinstance(iterator, Stream):
        raise StagedValueError(
            "next() of a staged iterator", **where(), remedy="write x[0], or a `for` loop with `break`"
        )
    forward = method(type(iterator), "__next__")
    if forward is not None:
        try:
            return call(forward)(iterator)
        except StopIteration:
            if default:
                return default[0]
            raise
    if isinstance(iterator, Stream):
        if default:
            raise StagedValueError(
                "next() of a staged iterator with a default", **where(), remedy="write a `for` loop with `break`"
            )
        return iterator.cursor().next()
    if iterators.is_from_outside(iterator):
        warn(_FROZEN, FrozenIteratorWarning)
        return repetitions.once(lambda: next(iterator, *default), iterator)
    iterators.use(iterator, "next()")
    return next(iterator, *default)


def _of_text(name: str) -> Callable[..., Any]:
    function = getattr(builtins, name)

    def of(value: object) -> Any:
        value = unwrapped(value)
        return apply_text(name, value) if is_staged(value) else function(value)

    return of


_BY_NAME: dict[str, Callable[..., Any]] = {
    "all": all_, "any": any_, "ascii": ascii_, "bool": bool_, "callable": callable_, "complex": complex_,
    "delattr": delattr_, "dir": dir_, "enumerate": enumerate_, "filter": filter_, "float": float_, "format": format_,
    "getattr": getattr_, "hasattr": hasattr_, "id": id_, "int": int_, "isinstance": isinstance_, "iter": iter_,
    "len": len_, "list": list_,
    "map": map_, "max": max_, "min": min_, "next": next_, "print": text.show, "range": range_,
    "repr": repr_, "reversed": reversed_, "round": round_, "set": set_,
    "setattr": setattr_, "sorted": sorted_, "str": str_, "type": type_, "sum": sum_, "tuple": tuple_, "zip": zip_,
}  # fmt: skip
_BY_NAME |= {name: _of_text(name) for name in ("bin", "chr", "hex", "oct", "ord")}
# Their results are Python numbers and strings, which take part in promotion as such.
_GIVE = {
    "ascii": str, "bin": str, "bool": bool, "chr": str, "complex": complex, "float": float, "format": str, "hex": str,
    "int": int, "len": int, "oct": str, "ord": int, "repr": str, "str": str,
}  # fmt: skip
_BY_NAME |= {name: _giving(_BY_NAME[name], kind) for name, kind in _GIVE.items()}
_BY_NAME |= {
    name: iterators.making(_BY_NAME[name]) for name in ("enumerate", "filter", "iter", "map", "reversed", "zip")
}
_BY_NAME |= {name: _making(_BY_NAME[name]) for name in ("list", "set", "sorted")}
_BY_NAME |= {
    name: iterators.using(_BY_NAME[name], f"{name}()")
    for name in ("all", "any", "list", "max", "min", "set", "sorted", "sum", "tuple")
}
_REPLACEMENTS = {id(getattr(builtins, name)): function for name, function in _BY_NAME.items()}
_REPLACEMENTS |= {
    id(functools.reduce): reduce_, id(SymbolicTensor): type_of_tensor, id(operator.mod): strings.mod,
    id(operator.length_hint): _giving(length_hint_, int),
    id(operator.contains): _giving(lambda values, item: asked.CONTAINS.function(item, values), bool),
}  # fmt: skip


def replacement(function: object) -> Callable[..., Any] | None:
    """What to call in place of a built-in while a graph is built; None: the function itself."""
    found = _REPLACEMENTS.get(id(function)) or lookups.replacement(function) or attribute_dicts.replacement(function)
    return found or text.replacement(function) or library.replacement(function)
