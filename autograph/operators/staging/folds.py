"""`map_fn`, `scan`, `foldl` and `foldr`: loops over the first axis of tensors, as functions.

They have the meaning of a ``for`` statement: a Python loop on eager tensors, one staged loop in a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import as_dtype
from autograph.runtime.base.shapes import is_subshape
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.control import identity
from autograph.runtime.ops.shape.create import zeros
from autograph.runtime.ops.shape.joining import stack
from autograph.runtime.ops.shape.shape import reverse as reverse_axes
from autograph.runtime.ops.shape.shape import shape
from autograph.runtime.tensors.convert import convert_to_tensor
from autograph.runtime.tensors.spec import TensorSpec
from autograph.runtime.tensors.trace import executing_eagerly

from .. import control_flow
from ..calls import call
from .functional import required_function
from .heap import heap
from .heap.state import created
from .values.lists import StagedList, mutables
from .whole_calls import following_changes

if TYPE_CHECKING:
    pass

_REMEDY = "pass an initializer, or elements along a first axis that has some"


class _Elements:
    """The slices of a structure of tensors along their first axes, first to last or last to first."""

    def __init__(self, elems: object, backwards: bool = False) -> None:
        self.tensors = nest.map_structure(convert_to_tensor, elems)
        leaves = nest.flatten(self.tensors)
        if not leaves or any(leaf.static_shape == () for leaf in leaves):
            raise InvalidArgumentError("elems must be tensors with at least one axis", remedy=_REMEDY)
        known = {leaf.static_shape[0] for leaf in leaves if leaf.static_shape is not None} - {None}
        if len(known) > 1:
            raise InvalidArgumentError(f"elems have first axes of different lengths: {sorted(known)}")
        self.static_length = known.pop() if known else None
        self.length: Any = len(leaves[0]) if executing_eagerly() else shape(leaves[0])[0]
        self.backwards = backwards
        self.dtype = leaves[0].dtype

    def at(self, i: object) -> Any:
        place = self.length - 1 - i if self.backwards else i
        return _made(nest.map_structure(lambda tensor: tensor[place], self.tensors))


def _start(fn: Callable[..., Any], elems: object, initializer: object, backwards: bool) -> tuple[_Elements, Any, int]:
    elements = _Elements(elems, backwards)
    if initializer is not None:
        return elements, nest.map_structure(convert_to_tensor, initializer), 0
    if elements.static_length == 0:
        raise InvalidArgumentError("there is no first element to start from", remedy=_REMEDY)
    return elements, elements.at(0), 1


@following_changes
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(… fn(fn(initializer, elems[0]), elems[1]) …, elems[-1])`, along the first axis of the tensors in `elems`.

    Without an initializer the first element is it. Elements and the result may be structures of tensors.

    Raises:
        InvalidArgumentError: `elems` has no axis, or no element to start from.
        BranchMismatchError: `fn` changes the structure of the result.
    """
    return _fold(fn, elems, initializer, backwards=False)


@following_changes
def foldr(
    fn: Callable[[Any, Any], Any],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last element to the first."""
    return _fold(fn, elems, initializer, backwards=True)


def _fold(fn: Callable[[Any, Any], Any], elems: object, initializer: object, backwards: bool) -> Any:
    elements, result, start = _start(fn, elems, initializer, backwards)
    function, i = call(required_function(fn, "fn")), start if executing_eagerly() else identity(start)

    def loop_test() -> Any:
        return i < elements.length

    def loop_body() -> None:
        nonlocal i, result
        result = function(result, elements.at(i))
        i = i + 1

    control_flow.while_stmt(loop_test, loop_body, ("i", "result"))
    return result


@following_changes
def scan(
    fn: Callable[[Any, Any], Any],
    elems: object,
    initializer: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """What `foldl` (`foldr` with ``reverse``) has after each element, stacked; element `i` gives result `i`.

    Raises:
        InvalidArgumentError: `elems` has no axis, or no element to start from.
        BranchMismatchError: `fn` changes the structure of the result.
    """
    elements, result, start = _start(fn, elems, initializer, reverse)
    function, i = call(required_function(fn, "fn")), start if executing_eagerly() else identity(start)
    form = _Form(result)
    results = _new_list([form.leaves(result)] if start else [])

    def loop_test() -> Any:
        return i < elements.length

    def loop_body() -> None:
        nonlocal i, result
        result = function(result, elements.at(i))
        call(results.append)(form.leaves(result))
        i = i + 1

    control_flow.while_stmt(loop_test, loop_body, ("i", "result", "results"))
    like = [TensorSpec(leaf.static_shape, leaf.dtype) for leaf in form.leaves(result)]
    return form.packed(_stacked(results, elements, like))


@following_changes
def map_fn(
    fn: Callable[[Any], Any],
    elems: object,
    dtype: object = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> Any:
    """What `fn` returns for each element along the first axis of the tensors in `elems`, stacked.

    `fn_output_signature` (or `dtype`): dtypes or `TensorSpec`s in the structure that `fn` returns. It may be left
    out, also where `fn` returns another dtype than it is given; for no elements at all the result then is like them.

    Raises:
        InvalidArgumentError: `elems` has no axis, or `fn` returns something else than the signature says.
    """
    elements = _Elements(elems)
    signature = dtype if fn_output_signature is None else fn_output_signature
    like = None if signature is None else nest.map_structure(_as_spec, signature)
    function, i = call(required_function(fn, "fn")), 0 if executing_eagerly() else identity(0)
    results, form = _new_list([]), _Form(like)

    def loop_test() -> Any:
        return i < elements.length

    def loop_body() -> None:
        nonlocal i
        result = _now(function(elements.at(i)))
        call(results.append)(form.leaves(result if like is None else _fitting(result, like)))
        i = i + 1

    control_flow.while_stmt(loop_test, loop_body, ("i", "results"))
    if form.structure is None:
        form = _Form(elements.tensors)
        like = nest.map_structure(lambda t: TensorSpec((), t.dtype), elements.tensors)
    return form.packed(_stacked(results, elements, nest.flatten(like)))


def vectorized_map(fn: Callable[[Any], Any], elems: object, fallback_to_while_loop: bool = True) -> Any:
    """As `map_fn`; each element is computed by itself."""
    return map_fn(fn, elems)


def _made(value: object) -> Any:
    """A value that has been made here, whose containers nothing else knows."""
    for each in mutables(value):
        created(each)
    return value


def _new_list(items: list[Any]) -> list[Any]:
    """A list of this call, whose changes are no business of the loops that the call is in."""
    created(items)
    return items


def _as_spec(leaf: object) -> TensorSpec:
    return leaf if isinstance(leaf, TensorSpec) else TensorSpec(None, as_dtype(leaf))


def _fitting(result: object, like: object) -> Any:
    """The result of a function as tensors that fit a signature."""
    try:
        nest.assert_same_structure(like, result)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"the function's result does not fit fn_output_signature: {error}") from None

    def fit(spec: TensorSpec, leaf: object) -> Any:
        tensor = convert_to_tensor(leaf, dtype_hint=spec.dtype)
        if tensor.dtype != spec.dtype or not is_subshape(tensor.static_shape, spec.type.shape):
            found = TensorSpec(tensor.static_shape, tensor.dtype)
            raise InvalidArgumentError(f"the function returns {found!r}, fn_output_signature says {spec!r}")
        return tensor

    return nest.map_structure(fit, like, result)


class _Form:
    """The structure that a function returns each time; only its leaves go through the loop.

    A list in it is a part of the structure, where an element of a staged list would grow.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure

    def leaves(self, result: Any) -> tuple[Any, ...]:
        """The leaves of a result. Raises when it has another structure than those before."""
        result = _now(result)
        if self.structure is None:
            self.structure = nest.map_structure(lambda leaf: None, result) if nest.is_nested(result) else ...
        nest.assert_same_structure(self.structure, result)
        return tuple(map(convert_to_tensor, nest.flatten(result)))

    def packed(self, leaves: list[Any]) -> Any:
        return _made(nest.pack_sequence_as(self.structure, leaves))


def _now(value: Any) -> Any:
    """A structure with what staged code has made of the lists and dicts in it."""
    value = heap.staged(value)
    if isinstance(value, StagedList):
        raise value.refused("returning it from the function of `tf.map_fn` or `tf.scan`", "return tf.stack(the list)")
    if not nest.is_nested(value):
        return value
    parts = [_now(part) for _, part in nest.children(value)]
    return nest.rebuild(value, parts)


def _stacked(results: Any, elements: _Elements, like: Sequence[TensorSpec]) -> list[Any]:
    """The leaves of the results along a new first axis; for none at all, empty tensors like these."""
    found = heap.staged(results)
    heap.unstage(results)
    if isinstance(found, StagedList) and found.state.spec.element is not None:
        state, element = found.state, found.state.spec.element
        pairs = zip(state.handles, element.types(), strict=True)
        return list(element.unflatten(iter([_stacked_leaf(handle, kind, elements) for handle, kind in pairs])))
    if not isinstance(found, StagedList) and found:
        stacked = [stack(leaves) for leaves in zip(*found, strict=True)]
    else:
        stacked = [zeros((0, *_inner_shape(spec)), spec.dtype) for spec in like]
    return [reverse_axes(leaf, [0]) for leaf in stacked] if elements.backwards else stacked


def _inner_shape(spec: TensorSpec) -> tuple[int, ...]:
    return tuple(n or 0 for n in spec.type.shape or ())


def _stacked_leaf(handle: object, kind: Any, elements: _Elements) -> Any:
    leaf = OPS["list_stack"](handle, dtype=kind.dtype, shape=kind.shape)
    if elements.static_length is not None and leaf.static_shape is not None:
        leaf = OPS["ensure_shape"](leaf, shape=(elements.static_length, *leaf.static_shape[1:]))
    return reverse_axes(leaf, [0]) if elements.backwards else leaf
