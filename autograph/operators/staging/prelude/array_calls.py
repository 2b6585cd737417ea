"""Functions and methods of NumPy that change arrays, or give views of them, where only a graph tells what they hold."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from types import BuiltinFunctionType, MethodType
from typing import Any

import numpy as np

from autograph.errors import MutationError
from autograph.runtime.base.dtypes import Array
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.shape import index as index_ops
from autograph.runtime.ops.shape.views import reshaped
from autograph.runtime.tensors import convert
from autograph.runtime.tensors.numpy_protocol import as_arrays

from ...data_model.raw_attributes import raw_attribute
from ..control.errors import where
from ..heap import aliases, array_forms, heap, state
from ..heap.array_memory import is_array, memory_of
from ..outside.code_writes import words

_VIEWS = words(
    """
    reshape ravel transpose squeeze swapaxes diagonal view expand_dims moveaxis rollaxis flip flipud fliplr rot90
    broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d asarray asanyarray ascontiguousarray asfortranarray
    require split array_split hsplit vsplit dsplit unstack permute_dims matrix_transpose real imag sliding_window_view
    as_strided trim_zeros
    """
)
"""What gives views of arrays, or the arrays themselves, in some cases."""
_REFUSED_METHODS = words("partition resize itemset setfield setflags byteswap")
_REFUSED_FUNCTIONS = words("place put_along_axis shuffle")


def is_numpy(function: object) -> bool:
    """Whether a function is one of NumPy, or a method of one of its functions (`np.add.at`)."""
    if isinstance(function, np.ufunc):
        return True
    if isinstance(raw_attribute(function, "__self__"), (np.ufunc, np.random.Generator, np.random.RandomState)):
        return True
    module = raw_attribute(function, "__module__")
    return isinstance(module, str) and module.partition(".")[0] == "numpy" and not isinstance(function, type)


def watched(function: Any, form: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy, whose changes of arrays are noted; ``form`` is what computes its result."""

    def run(*arguments: object, **keywords: object) -> Any:
        name = raw_attribute(function, "__name__", "")
        outs = _outputs(function, arguments, keywords)
        if outs:
            return _write_outputs(function, form, arguments, keywords, outs)
        target = arguments[0] if arguments else keywords.get("a", keywords.get("dst"))
        if is_array(target) and (name in _FUNCTIONS or name in _REFUSED_FUNCTIONS):
            return _change(_FUNCTIONS.get(name), function, target, arguments, keywords)
        if name in _VIEWS and any(array_forms.is_staged(each) for each in (*arguments, *keywords.values())):
            found = _view(function, arguments, keywords)
            if found is not None:
                return found
            arguments = tuple([array_forms.current(each) if is_array(each) else each for each in arguments])
        return form(*arguments, **keywords)

    return run


def method(function: Callable[..., Any], array: Array) -> Callable[..., Any]:
    """A method of an array."""
    name = function.__name__

    def run(*arguments: object, **keywords: Any) -> Any:
        aliases.use(array)
        if name in _METHODS or name in _REFUSED_METHODS:
            return _change(_METHODS.get(name), function, array, (array, *arguments), keywords)
        if name == "__setitem__":
            return array_forms.set_item(arguments[1], array, arguments[0])
        binary = getattr(operator, f"__{name[3:]}", None) if name.startswith("__i") else None
        if binary is not None:
            made = array_forms.update(binary, array, *arguments)
            return function(*arguments) if made is NotImplemented else made
        if name in _VIEWS and heap.has_form(array):
            found = _view(function, arguments, keywords)
            if found is not None:
                return found
        out = keywords.get("out")
        if is_array(out) and array_forms.must_stage(out, array, *arguments):
            made = run(*arguments, **{key: each for key, each in keywords.items() if key != "out"})
            array_forms.store(out, made)
            return out
        form = heap.form(array)
        given = [heap.given(each) for each in arguments]
        named = {key: heap.given(each) for key, each in keywords.items()}
        if form is not array:
            made = getattr(form, name)(*given, **named)
            return as_arrays(made, [*given, *named.values()]) if getattr(made, "python", None) is None else made
        made = function(*given, **named)
        if type(made) is list or (type(made) is np.ndarray and made.base is None):
            state.created_with_parts(made)
        return made

    return run


def changing_method(array: Any, name: str) -> Callable[..., Any] | None:
    """The method of a name, if it is one that changes a graph tensor that stands for an array."""
    change = _METHODS.get(name)
    return None if change is None else lambda *arguments, **keywords: change(None, array, *arguments, **keywords)


def _view(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What a function gives for arrays as Python has them, if that is views of memory that a graph tells of."""
    try:
        made = function(*arguments, **keywords)
    except (TypeError, AttributeError, np.exceptions.AxisError):
        return None
    parts = made if isinstance(made, (list, tuple)) else [made]
    given = [each for each in (*arguments, raw_attribute(function, "__self__")) if type(each) is np.ndarray]
    memories = [id(memory_of(each)) for each in given]
    if parts and all(type(each) is np.ndarray and id(memory_of(each)) in memories for each in parts):
        return made
    return None


def _outputs(function: object, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[Any, Any]:
    """The arrays that a call writes its result into, by the names or numbers of the arguments."""
    found = keywords.get("out")
    if found is not None:
        return {"out": found}
    if isinstance(function, np.ufunc):
        return {place: each for place, each in enumerate(arguments) if place >= function.nin and each is not None}
    if function is np.dot and len(arguments) > 2:
        return {2: arguments[2]}
    if len(arguments) > 1 and not isinstance(function, (BuiltinFunctionType, MethodType)):
        names = _parameters(function)
        place = names.index("out") if "out" in names else len(arguments)
        if place < len(arguments) and arguments[place] is not None:
            return {place: arguments[place]}
    return {}


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _write_outputs(function: Callable[..., Any], form: Any, arguments: Any, keywords: Any, outs: dict[Any, Any]) -> Any:
    targets = [part for each in outs.values() for part in (each if isinstance(each, tuple) else (each,))]
    rest = [each for place, each in enumerate(arguments) if place not in outs]
    if not any(is_array(each) and array_forms.must_stage(each, *rest, *keywords.values()) for each in targets):
        for each in targets:
            array_forms.note(each)
        return function(*arguments, **keywords)
    others = {key: each for key, each in keywords.items() if key not in ("out", "where", "casting")}
    mask = keywords.get("where", True)
    made = form(*rest, **others)
    results = made if isinstance(made, tuple) else (made,)
    for target, result in zip(targets, results, strict=True):
        if target is not None:
            if mask is not True:
                result = OPS["where"](heap.given(mask), result, array_forms.current(target))
            array_forms.store(target, result, keywords.get("casting", "same_kind"))
    return tuple(targets) if isinstance(made, tuple) else targets[0]


def _change(change: Any, function: Callable[..., Any], target: object, arguments: Any, keywords: Any) -> Any:
    """A call that changes its first argument."""
    if not array_forms.must_stage(target, *arguments[1:], *keywords.values()):
        array_forms.note(target)
        is_method = raw_attribute(function, "__self__") is target
        return function(*(arguments[1:] if is_method else arguments), **keywords)
    name = function.__name__
    if change is None:
        raise MutationError(
            f"`{name}` changes an array where only a run of the graph knows what it holds; a graph can't carry that "
            "change",
            **where(),
            construct=name,
            remedy="write it with stores into items (x[i] = v), or outside of the traced function",
        )
    change(function, *arguments, **keywords)
    return None


def _fill(function: object, array: Array, value: object) -> None:
    array_forms.set_item(value, array, Ellipsis)


def _copy_to(function: object, dst: object, src: object, casting: str = "same_kind", where: object = True) -> None:
    made = src
    if where is not True:
        made = OPS["where"](heap.given(where), heap.given(src), array_forms.current(dst))
    array_forms.store(dst, made, casting)


def _sort(function: object, array: Array, axis: int = -1, kind: object = None, order: object = None) -> None:
    array_forms.store(array, np.sort(array_forms.current(array), axis=axis))


def _put(function: object, a: object, ind: object, v: object, mode: str = "raise") -> None:
    held = array_forms.current(a)
    flat = OPS["reshape"](held, shape=(-1,))
    made = index_ops.set_item(flat, convert.convert_to_tensor(heap.given(ind)), v)
    array_forms.store(a, reshaped(made, held))


def _put_mask(function: object, a: object, mask: object, values: object) -> None:
    array_forms.store(a, OPS["where"](heap.given(mask), heap.given(values), array_forms.current(a)))


def _fill_diagonal(function: object, a: Any, val: object, wrap: bool = False) -> None:
    places = np.zeros(np.shape(a), bool)
    np.fill_diagonal(places, True, wrap=wrap)
    array_forms.store(a, OPS["where"](places, heap.given(val), array_forms.current(a)))


def _at(function: Any, a: object, indices: object, b: object = None) -> None:
    kind = function.__self__.__name__
    if kind not in ("add", "subtract") or b is None:
        raise MutationError(
            f"np.{kind}.at changes an array in a way that a graph can't carry",
            **where(),
            construct=f"np.{kind}.at",
            remedy="write it with stores into items (x[i] = v) in a loop",
        )
    held = array_forms.current(a)
    key, inputs = index_ops.encode(heap.given(indices))
    values = convert.cast(convert.convert_to_tensor(heap.given(b)), held.dtype)
    array_forms.store(a, index_ops.add_at_op(held, values if kind == "add" else -values, *inputs, key=key))


_FUNCTIONS: dict[str, Callable[..., None]] = {
    "copyto": _copy_to, "put": _put, "putmask": _put_mask, "fill_diagonal": _fill_diagonal, "at": _at,
}  # fmt: skip
_METHODS: dict[str, Callable[..., None]] = {"fill": _fill, "sort": _sort, "put": _put}
IN_PLACE = _REFUSED_METHODS.union(_METHODS)
"""Methods that change the array."""
