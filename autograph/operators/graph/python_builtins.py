"""Python's built-in functions on staged values; on plain values each is the built-in itself."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from autograph.errors import MutationError, StagedValueError
from autograph.runtime import dtypes
from autograph.runtime.convert import convert_to_tensor
from autograph.runtime.op import OPS
from autograph.runtime.tensor import SymbolicTensor, Tensor

from .. import state
from ..calls import call
from ..control_flow import for_stmt
from . import conditions, text
from .cond import if_stmt
from .errors import require, where
from .iterables import (
    Enumerate,
    Filter,
    Indexed,
    Map,
    Reversed,
    StagedIterable,
    StagedRange,
    Zip,
    iterable,
    length_of,
)
from .lists import ListState, StagedList
from .maybe import Maybe

_STAGED = (SymbolicTensor, Maybe, StagedList, StagedIterable)
_NOTHING = object()


def is_staged(*values: Any) -> bool:
    """Whether one of some values is staged; an eager tensor is a value that Python can look at."""
    return any(isinstance(value, _STAGED) for value in values)


def has_staged(values: Any) -> bool:
    """Whether a value is staged, or a list or tuple that holds a staged one."""
    return is_staged(values) or (isinstance(values, (list, tuple, set)) and is_staged(*values))


def _plain(value: Any) -> Any:
    return value.checked() if isinstance(value, Maybe) else value


def len_(value: Any) -> Any:
    """``len``: a Python int where the length is known while tracing."""
    value = _plain(value)
    if isinstance(value, Tensor):
        return length_of(value)
    return value.length() if is_staged(value) else len(value)


def int_(*arguments: Any, **keywords: Any) -> Any:
    """``int``: a fraction is cut off."""
    if len(arguments) != 1 or not is_staged(arguments[0]):
        return int(*arguments, **keywords)
    value = convert_to_tensor(_plain(arguments[0]))
    _require_one(value, "int()")
    if value.dtype is dtypes.string:
        return OPS["string_to_number"](value, dtype=dtypes.int32)
    if value.dtype.is_integer:
        return value
    return OPS["cast"](value, dtype=dtypes.int64 if value.dtype is dtypes.float64 else dtypes.int32)


def float_(*arguments: Any) -> Any:
    """``float``: whole numbers become float32 (float64 from 64 bits), floats keep their dtype."""
    if not is_staged(*arguments):
        return float(*arguments)
    value = convert_to_tensor(_plain(arguments[0]))
    _require_one(value, "float()")
    if value.dtype is dtypes.string:
        return OPS["string_to_number"](value, dtype=dtypes.float32)
    if value.dtype.is_floating:
        return value
    return OPS["cast"](value, dtype=dtypes.float64 if value.dtype.size == 8 else dtypes.float32)


def bool_(*arguments: Any) -> Any:
    """``bool``."""
    return conditions.truth(arguments[0]) if is_staged(*arguments) else bool(*arguments)


def _require_one(value: Tensor, what: str) -> None:
    if value.static_shape is not None and value.static_shape != ():
        raise TypeError(f"{what} takes one number, not a tensor of shape {value.shape}")


def str_(*arguments: Any, **keywords: Any) -> Any:
    """``str``."""
    if len(arguments) == 1 and is_staged(arguments[0]):
        return text.format_value(arguments[0], "s", "")
    return str(*arguments, **keywords)


def format_(value: Any, specification: str = "") -> Any:
    """``format``."""
    return text.format_value(value, None, specification) if is_staged(value) else format(value, specification)


def range_(*arguments: Any) -> Any:
    """``range``."""
    if not is_staged(*arguments):
        return range(*arguments)
    bounds = [_plain(each) for each in arguments]
    for each in bounds:
        if isinstance(each, Tensor) and not each.dtype.is_integer:
            raise TypeError(f"range() takes whole numbers, not {each.dtype.name}")
    first, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1
    if is_staged(step):
        require(step != 0, ValueError("range() arg 3 must not be zero"))
    return StagedRange(first, stop, step)


def enumerate_(values: Any, start: Any = 0) -> Any:
    """``enumerate``."""
    return Enumerate(iterable(values), start) if is_staged(values, start) else enumerate(values, start)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """``zip``."""
    if not is_staged(*iterables):
        return zip(*iterables, strict=strict)
    parts = [iterable(each) for each in iterables]
    if strict:
        lengths = [part.length() for part in parts]
        for position, length in enumerate(lengths[1:], start=2):
            require(lengths[0] == length, ValueError(f"zip() argument {position} differs in length from argument 1"))
    return Zip(parts)


def map_(function: Any, *iterables: Any) -> Any:
    """``map``."""
    if is_staged(*iterables):
        return Map(function, [iterable(each) for each in iterables])
    return map(call(function), *iterables)


def filter_(function: Any, values: Any) -> Any:
    """``filter``; a staged test of Python values gives what a staged loop can run over."""
    if is_staged(values):
        return Filter(function, iterable(values))
    if isinstance(values, (list, tuple)) and has_staged(values):
        return Filter(function, iterable(values))
    return filter(None if function is None else call(function), values)


def reversed_(values: Any) -> Any:
    """``reversed``."""
    if not is_staged(values):
        return reversed(values)
    inner = iterable(values)
    if isinstance(inner, StagedRange) or (isinstance(inner, Indexed) and not inner.once):
        return Reversed(inner)
    raise TypeError(f"{values!r} is not reversible")


def list_(*arguments: Any) -> Any:
    """``list``."""
    if not is_staged(*arguments):
        return list(*arguments)
    made = StagedList(ListState.of([]))
    values = _plain(arguments[0])
    if isinstance(values, StagedList):
        return values.copy()
    if isinstance(values, Tensor) and values.static_shape and values.static_shape[0] is not None:
        return [values[index] for index in range(values.static_shape[0])]
    made.extend(values)
    return made


def tuple_(*arguments: Any) -> Any:
    """``tuple``: the length must be known while tracing."""
    made = list_(*arguments)
    if isinstance(made, StagedList):
        raise StagedValueError(
            "tuple() of a staged value whose length only the run tells", **where(), remedy="use a list or a tensor"
        )
    return tuple(made)


def sum_(values: Any, /, start: Any = 0) -> Any:
    """``sum``."""
    values = _plain(values)
    if isinstance(values, Tensor):
        _require_rank(values, "sum()")
        return OPS["sum"](values, axis=0) + start
    if not is_staged(values):
        return sum(values, start)
    return _fold(lambda total, value: total + value, values, start)


def _require_rank(values: Tensor, what: str) -> None:
    if values.static_shape == ():
        raise TypeError(f"{what} needs an iterable, not a 0-d tensor (a scalar)")


def _fold(function: Callable[[Any, Any], Any], values: Any, start: Any) -> Any:
    result = start

    def loop_body(value: Any) -> None:
        nonlocal result
        result = value if result is _NOTHING else function(result, value)

    for_stmt(values, loop_body, ("result",))
    return result


def any_(values: Any) -> Any:
    """``any``."""
    return _search(values, "any", conditions.any_of)


def all_(values: Any) -> Any:
    """``all``."""
    return _search(values, "all", conditions.all_of)


def _search(values: Any, name: str, combined: Callable[[list[Any]], Any]) -> Any:
    values = _plain(values)
    if isinstance(values, (StagedList, StagedIterable)):
        values = convert_to_tensor(list_(values))
    if isinstance(values, Tensor):
        _require_rank(values, f"{name}()")
        if values.static_shape is not None and len(values.static_shape) > 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous")
        return OPS[name](values)
    found = []
    for value in values:
        truth = conditions.truth(value) if is_staged(value) else bool(value)
        if truth is (name == "any"):
            return truth
        found.append(truth)
    return combined(found)


def min_(*arguments: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    """``min``."""
    return _extreme("min", "minimum", lambda new, best: new < best, arguments, key, default)


def max_(*arguments: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    """``max``."""
    return _extreme("max", "maximum", lambda new, best: new > best, arguments, key, default)


def _extreme(
    name: str, pairwise: str, better: Callable[[Any, Any], Any], arguments: tuple[Any, ...], key: Any, default: Any
) -> Any:
    values = _plain(arguments[0]) if len(arguments) == 1 else arguments
    keywords = {} if default is _NOTHING else {"default": default}
    if key is None and not has_staged(values):
        return getattr(builtins, name)(*arguments, **keywords)
    if key is None and isinstance(values, Tensor):
        _require_rank(values, f"{name}()")
        if default is _NOTHING:
            length = length_of(values)
            if length == 0 if isinstance(length, int) else True:
                require(length != 0, ValueError(f"{name}() iterable argument is empty"))
            return OPS[name](values, axis=0)
    if key is None and isinstance(values, (list, tuple)) and all(_is_scalar(each) for each in values):
        return functools.reduce(OPS[pairwise], values)
    return _extreme_by_key(name, better, values, call(key) if key is not None else lambda value: value, default)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, Tensor) and value.static_shape == ())


def _extreme_by_key(name: str, better: Callable[[Any, Any], Any], values: Any, key: Any, default: Any) -> Any:
    best = best_key = _NOTHING

    def take(value: Any, value_key: Any) -> None:
        nonlocal best, best_key
        best, best_key = value, value_key

    def loop_body(value: Any) -> None:
        value_key = key(value)
        if best is _NOTHING:
            take(value, value_key)
            return
        test = better(value_key, best_key)

        def if_body() -> None:
            nonlocal best, best_key
            best, best_key = value, value_key

        def else_body() -> None:
            pass

        if is_staged(test):
            if_stmt(test, if_body, else_body, ("best", "best_key"))
        elif test:
            if_body()

    items = values
    if isinstance(values, Tensor) and values.static_shape and values.static_shape[0]:
        take(values[0], key(values[0]))
        items = values[1:]
    elif is_staged(values):
        raise StagedValueError(
            f"{name}() with a key over a staged value whose length only the run tells",
            **where(),
            remedy="write a loop, or use tf.argmax and an index",
        )
    for_stmt(items, loop_body, ("best", "best_key"))
    if best is not _NOTHING:
        return best
    if default is _NOTHING:
        raise ValueError(f"{name}() iterable argument is empty")
    return default


def sorted_(values: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """``sorted``: stable, as in Python; of a tensor it gives a tensor."""
    values = _plain(values)
    if not has_staged(values) and not is_staged(reverse):
        return sorted(values, key=None if key is None else call(key), reverse=reverse)
    tensor = convert_to_tensor(list_(values) if isinstance(values, StagedIterable) else values)
    _require_rank(tensor, "sorted()")
    if tensor.static_shape is None or len(tensor.static_shape) != 1:
        raise ValueError("sorted() of a staged value takes numbers, not rows of numbers")
    keys = tensor if key is None else convert_to_tensor(list_(Map(key, [iterable(tensor)])))
    order = _order(keys, reverse)
    made = OPS["gather"](tensor, order, axis=0)
    return [made[index] for index in range(len(values))] if isinstance(values, (list, tuple)) else made


def _order(keys: Tensor, reverse: Any) -> Any:
    from autograph.runtime.ops.shape import reverse as flip
    from autograph.runtime.ops.sort import argsort

    if is_staged(reverse):
        return if_stmt(reverse, lambda: _order(keys, True), lambda: _order(keys, False), ())
    if not reverse:
        return argsort(keys, stable=True)
    # As in Python, equal elements keep their order also when the greatest comes first.
    last_first = flip(keys, [0])
    backwards = flip(argsort(last_first, stable=True), [0])
    return length_of(keys) - 1 - backwards


def round_(number: Any, ndigits: Any = None) -> Any:
    """``round``: to an int when no number of digits is given."""
    if not is_staged(number):
        return round(number) if ndigits is None else round(number, ndigits)
    number = _plain(number)
    return number.__round__() if ndigits is None else number.__round__(ndigits)


def isinstance_(value: Any, kinds: Any) -> Any:
    """``isinstance``: a staged list is a list, a staged range a range."""
    if type(value) is Maybe:
        value = value.checked("tested by isinstance") if value.missing is not None else value.value
    if isinstance(value, StagedList):
        return isinstance([], kinds)
    return isinstance(range(0), kinds) if isinstance(value, StagedRange) else isinstance(value, kinds)


def next_(iterator: Any, *default: Any) -> Any:
    """``next``: when tracing, once; in a staged body only for iterators made there."""
    if is_staged(iterator):
        raise StagedValueError("next() of a staged iterator", **where(), remedy="write a `for` loop with `break`")
    for journal in state.stack():
        if not journal.outermost and journal.has_iterator(iterator):
            raise MutationError(
                "next() in a staged branch or loop moves an iterator that was made outside of it",
                **where(),
                construct="next",
                remedy="loop over a tensor, or call next() outside",
            )
    return next(iterator, *default)


def reduce_(function: Any, values: Any, *initial: Any) -> Any:
    """``functools.reduce``."""
    function = call(function)
    if not is_staged(values):
        return functools.reduce(function, values, *initial)
    if initial:
        return _fold(function, values, initial[0])
    values = convert_to_tensor(list_(values))
    require(length_of(values) > 0, TypeError("reduce() of empty iterable with no initial value"))
    return _fold(function, values[1:], values[0])


def setattr_(obj: Any, name: str, value: Any) -> None:
    """``setattr``."""
    state.about_to_change(obj)
    setattr(obj, name, value)


def delattr_(obj: Any, name: str) -> None:
    """``delattr``."""
    state.about_to_change(obj)
    delattr(obj, name)


_REPLACEMENTS: dict[int, Callable[..., Any]] = {
    id(getattr(builtins, name)): function
    for name, function in {
        "all": all_, "any": any_, "bool": bool_, "delattr": delattr_, "enumerate": enumerate_, "filter": filter_,
        "float": float_, "format": format_, "int": int_, "isinstance": isinstance_, "len": len_, "list": list_,
        "map": map_, "max": max_, "min": min_, "next": next_, "range": range_, "reversed": reversed_, "round": round_,
        "setattr": setattr_, "sorted": sorted_, "str": str_, "sum": sum_, "tuple": tuple_, "zip": zip_,
    }.items()
}  # fmt: skip
_REPLACEMENTS[id(functools.reduce)] = reduce_


def replacement(function: Any) -> Callable[..., Any] | None:
    """What to call in place of a built-in while a graph is built; None: the function itself."""
    found = _REPLACEMENTS.get(id(function))
    if found is None and getattr(function, "__name__", "") == "format" and type(getattr(function, "__self__", 0)) is str:
        return lambda *arguments, **keywords: text.format_text(function.__self__, *arguments, **keywords)
    return found

