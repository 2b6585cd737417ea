"""`cond`, `case`, `switch_case` and `while_loop`: control flow as functions, with the meaning of the statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import BranchMismatchError, InvalidArgumentError, InvalidTypeError
from autograph.runtime.base import nest
from autograph.runtime.base.dtypes import int32
from autograph.runtime.ops.elementwise.elementwise import cast
from autograph.runtime.ops.elementwise.math import logical_and
from autograph.runtime.ops.reduce.reduce import reduce_sum
from autograph.runtime.ops.shape.joining import stack
from autograph.runtime.tensors.convert import convert_to_tensor, strong
from autograph.runtime.tensors.tensor import Tensor

from .. import control_flow
from ..calls import call
from ..dispatch import backend_of
from .control.errors import require, where
from .whole_calls import following_changes

Branch = Callable[[], Any]
_DATA = (bool, int, float, complex, str, bytes, np.ndarray, np.generic, Tensor)


@following_changes
def cond(pred: object, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """What `true_fn()` returns where `pred`, one bool, is true, else what `false_fn()` returns.

    In a graph both become branches of a conditional; dtypes promote and shapes relax. Numbers, strings and arrays that
    they return, alone or in tuples, are tensors then.

    Raises:
        BranchMismatchError: the two return values of different structures.
    """
    required_function(true_fn, "true_fn")
    required_function(false_fn, "false_fn")
    then, otherwise = call(true_fn), call(false_fn)
    if backend_of(pred) is None:
        return control_flow.if_exp(pred, lambda: then(), lambda: otherwise())
    chosen = control_flow.if_exp(pred, lambda: _each(_of_own_class, then()), lambda: _each(_of_own_class, otherwise()))
    return _each(_as_tensor, chosen)


def _each(change: Callable[[Any], Any], values: object) -> Any:
    """A value, or the values in a tuple, each changed; a list or dict stays the one that it is."""
    return tuple([_each(change, each) for each in values]) if type(values) is tuple else change(values)


def _of_own_class(leaf: object) -> Any:
    """Bytes, numbers and strings of classes of their own (`IntEnum`) as tensors: no branches give those of Python."""
    is_own = isinstance(leaf, (bool, int, float, complex, str)) and type(leaf) not in (bool, int, float, complex, str)
    return convert_to_tensor(leaf) if is_own or isinstance(leaf, bytes) else leaf


@following_changes
def case(
    pred_fn_pairs: Sequence[tuple[Any, Branch]],
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first pair with a true condition returns; `default()` when there is none.

    ``exclusive``: refuse more than one true condition. ``strict`` is accepted for TensorFlow's sake.

    Raises:
        InvalidArgumentError: there is no pair; or, when it runs, no condition is true and there is no default, or
            several are and they should be exclusive.
        BranchMismatchError: the functions return values of different structures.
    """
    pairs = list(pred_fn_pairs)
    if not pairs:
        raise InvalidArgumentError("case needs at least one pair of a condition and a function")
    if exclusive:
        _require_exclusive([pred for pred, _ in pairs])
    (pred, function), *rest = pairs
    if rest:
        return cond(pred, function, lambda: case(rest, default))
    if default is not None:
        return cond(pred, function, default)
    _require_last(pred)
    return call(function)()


def _require_last(pred: object) -> None:
    _require(pred, InvalidArgumentError("no condition of this case is true", remedy="give it a default"))


def _require_exclusive(preds: list[Any]) -> None:
    at_most_one = reduce_sum(cast(stack(preds), int32)) <= 1
    _require(at_most_one, InvalidArgumentError("more than one condition of this case, which is exclusive, is true"))


def _require(pred: object, error: InvalidArgumentError) -> None:
    if backend_of(pred) is not None:
        require(pred, error)
    elif not pred:
        raise error


@following_changes
def switch_case(
    branch_index: object,
    branch_fns: Sequence[Branch | tuple[int, Branch]] | dict[int, Branch],
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """What the function at an index returns; `default()`, or the last function, for an index that has none.

    Raises:
        InvalidArgumentError: there is no function, or the indices of the functions are not 0, 1, 2 and so on.
        InvalidTypeError: the index is no integer.
        BranchMismatchError: the functions return values of different structures.
    """
    given = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    pairs = [each if isinstance(each, tuple) else (index, each) for index, each in enumerate(given)]
    pairs.sort(key=lambda pair: pair[0])
    if not pairs:
        raise InvalidArgumentError("switch_case needs at least one function")
    indices = [index for index, _ in pairs]
    if indices != list(range(len(pairs))):
        raise InvalidArgumentError(f"the indices of the functions must be 0, 1, 2 and so on, not {indices}")
    if not convert_to_tensor(branch_index).dtype.is_integer:
        raise InvalidTypeError(f"branch_index must be an integer, not {branch_index!r}")
    last = default or pairs[-1][1]
    return case([(branch_index == index, function) for index, function in pairs], last)


def required_function(value: object, name: str) -> Callable[..., Any]:
    """An argument that has to be a function."""
    if not callable(value):
        raise InvalidTypeError(f"{name} must be a function, not {value!r}")
    return value


@following_changes
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body(*loop_vars)`, which returns the next ones, as long as `cond(*loop_vars)` is true.

    Numbers and arrays among the last ones are tensors when they are returned. Shapes and dtypes of the variables are
    found by tracing; the other arguments are accepted for TensorFlow's sake.

    Raises:
        BranchMismatchError: `body` changes the structure of the variables.
    """
    test, step = call(required_function(cond, "cond")), call(required_function(body, "body"))
    is_list = isinstance(loop_vars, list)
    loop_vars, turns = tuple(loop_vars), 0
    count = len(loop_vars)

    def loop_test() -> Any:
        go = test(*loop_vars)
        return go if maximum_iterations is None else logical_and(go, turns < maximum_iterations)

    def loop_body() -> None:
        nonlocal loop_vars, turns
        found = step(*loop_vars)
        loop_vars = tuple(found) if isinstance(found, (list, tuple)) else (found,)
        if len(loop_vars) != count:
            raise BranchMismatchError(
                f"the body of tf.while_loop gives {len(loop_vars)} variables, but takes {count}",
                **where(),
                construct="tf.while_loop",
                remedy="return as many as there are in loop_vars",
            )
        turns += 1

    names = ("loop_vars",) if maximum_iterations is None else ("loop_vars", "turns")
    control_flow.while_stmt(loop_test, loop_body, names)
    loop_vars = nest.map_structure(_as_tensor, loop_vars)
    return list(loop_vars) if is_list else loop_vars


def _as_tensor(leaf: object) -> Any:
    return strong(convert_to_tensor(leaf)) if isinstance(leaf, _DATA) else leaf
