"""`cond`, `case`, `switch_case` and `while_loop`: control flow as functions, with the meaning of the statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.errors import InvalidArgumentError
from autograph.runtime.ops.math import logical_and
from autograph.runtime.tensor import Tensor

from .. import control_flow
from ..calls import call
from ..dispatch import backend_of
from .errors import require

Branch = Callable[[], Any]


def cond(pred: Any, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """What `true_fn()` returns where `pred`, one bool, is true, else what `false_fn()` returns.

    In a graph both become branches of a conditional; dtypes promote and shapes relax.

    Raises:
        BranchMismatchError: the two return values of different structures.
    """
    then, otherwise = call(true_fn), call(false_fn)
    return control_flow.if_exp(pred, lambda: then(), lambda: otherwise())


def case(
    pred_fn_pairs: Sequence[tuple[Any, Branch]],
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first pair with a true condition returns; `default()` when there is none.

    ``exclusive`` and ``strict`` are accepted for TensorFlow's sake.

    Raises:
        InvalidArgumentError: there is no pair; or, when it runs, no condition is true and there is no default.
        BranchMismatchError: the functions return values of different structures.
    """
    pairs = list(pred_fn_pairs)
    if not pairs:
        raise InvalidArgumentError("case needs at least one pair of a condition and a function")
    (pred, function), *rest = pairs
    if rest:
        return cond(pred, function, lambda: case(rest, default))
    if default is not None:
        return cond(pred, function, default)
    _require_last(pred)
    return call(function)()


def _require_last(pred: Any) -> None:
    error = InvalidArgumentError("no condition of this case is true", remedy="give it a default")
    if backend_of(pred) is not None:
        require(pred, error)
    elif not pred:
        raise error


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Branch | tuple[int, Branch]] | dict[int, Branch],
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """What the function at an index returns; `default()`, or the last function, for an index that has none.

    Raises:
        InvalidArgumentError: there is no function.
        BranchMismatchError: the functions return values of different structures.
    """
    given = sorted(branch_fns.items()) if isinstance(branch_fns, dict) else branch_fns
    pairs = [each if isinstance(each, tuple) else (index, each) for index, each in enumerate(given)]
    if not pairs:
        raise InvalidArgumentError("switch_case needs at least one function")
    if isinstance(branch_index, Tensor) and not branch_index.dtype.is_integer:
        raise InvalidArgumentError(f"branch_index must be an integer, not {branch_index.dtype.name}")
    last = default or pairs[-1][1]
    return case([(branch_index == index, function) for index, function in pairs], last)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body(*loop_vars)`, which returns the next ones, as long as `cond(*loop_vars)` is true.

    Shapes and dtypes of the variables are found by tracing; the other arguments are accepted for TensorFlow's sake.

    Raises:
        BranchMismatchError: `body` changes the structure of the variables.
    """
    test, step = call(cond), call(body)
    is_list = isinstance(loop_vars, list)
    loop_vars, turns = tuple(loop_vars), 0

    def loop_test() -> Any:
        go = test(*loop_vars)
        return go if maximum_iterations is None else logical_and(go, turns < maximum_iterations)

    def loop_body() -> None:
        nonlocal loop_vars, turns
        found = step(*loop_vars)
        loop_vars = tuple(found) if isinstance(found, (list, tuple)) else (found,)
        turns += 1

    names = ("loop_vars",) if maximum_iterations is None else ("loop_vars", "turns")
    control_flow.while_stmt(loop_test, loop_body, names)
    return list(loop_vars) if is_list else loop_vars
