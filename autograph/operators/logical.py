"""`and`, `or`, `not`, chained comparisons, `in` and `is`: Python's values on plain values, staged on staged ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arithmetic import backend_within
from .builtin_calls import truth
from .calls import call, call_method
from .data_model.special_methods import method
from .dispatch import Thunk, active, backend_of, open_traces
from .staging.heap.aliases import use
from .staging.heap.forms import VIEWS, is_of_own_class, viewed
from .staging.heap.identities import check_key, refuse_compared, same
from .staging.heap.iterators import use as use_iterator


def and_(left: object, *operands: Thunk) -> Any:
    """``left and operands[0]() and …``: the first operand that is false, or the last; later ones are not evaluated."""
    for position, operand in enumerate(operands):
        use(left)
        backend = None if is_of_own_class(left) else backend_of(left)
        if backend is not None:
            return backend.and_(left, _rest(and_, operands, position))
        true = truth(left)
        backend = backend_of(true)
        if backend is not None:
            return backend.if_stmt(true, _rest(and_, operands, position), _thunk(left), ())
        if not true:
            return left
        left = operand()
    return left


def or_(left: object, *operands: Thunk) -> Any:
    """``left or operands[0]() or …``: the first operand that is true, or the last; later ones are not evaluated."""
    for position, operand in enumerate(operands):
        use(left)
        backend = None if is_of_own_class(left) else backend_of(left)
        if backend is not None:
            return backend.or_(left, _rest(or_, operands, position))
        true = truth(left)
        backend = backend_of(true)
        if backend is not None:
            return backend.if_stmt(true, _thunk(left), _rest(or_, operands, position), ())
        if true:
            return left
        left = operand()
    return left


def _thunk(value: object) -> Thunk:
    return lambda: value


def _rest(operator: Callable[..., Any], operands: tuple[Thunk, ...], position: int) -> Thunk:
    """What is left of a chain of operands once the ones before `position` have been evaluated, as one operand.

    Each of its parts holds the next one alone, so that what looks at all that a body can reach does not see them all.
    """
    rest = operands[-1]
    for operand in reversed(operands[position:-1]):
        rest = _chained(operator, operand, rest)
    return rest


def _chained(operator: Callable[..., Any], first: Thunk, rest: Thunk) -> Thunk:
    return lambda: operator(first(), rest)


def not_(value: object) -> Any:
    """``not value``."""
    if value is True:
        return False
    if value is False:
        return True
    value = truth(value)
    backend = backend_of(value)
    return (not value) if backend is None else backend.not_(value)


def compare(left: object, operator: Callable[[Any, Any], Any], operand: Thunk, *rest: Any) -> Any:
    """``left operator operand() …``: a chain such as ``a < b <= c``, as ``compare(a, lt, lambda: b, le, lambda: c)``.

    Every operand is evaluated at most once, and none after the first comparison that is false.
    """
    while True:
        right = operand()
        result = operator(left, right)
        if not rest:
            return result
        backend = backend_of(result)
        if backend is not None:
            return backend.and_(result, _comparison(right, *rest))
        if not result:
            return result
        left, (operator, operand, *rest) = right, rest  # type: ignore[assignment]


def _comparison(left: object, operator: Callable[[Any, Any], Any], operand: Thunk, *rest: object) -> Thunk:
    return lambda: compare(left, operator, operand, *rest)


def in_(item: object, container: Any) -> Any:
    """``item in container``."""
    found = method(type(container), "__contains__") if open_traces else None
    if found is not None:
        return call(bool)(call_method(found, container, item))
    backend = _backend_of_membership(item, container)
    check_key(container, item)
    if open_traces:
        use_iterator(container, "in")
        use(container)
    if backend is not None:
        return backend.contains(item, container)
    refuse_compared(item, container)
    return item in container


def not_in(item: object, container: object) -> Any:
    """``item not in container``."""
    return not_(in_(item, container))


def _backend_of_membership(item: object, container: object) -> Any:
    """The back end of the item or of the container; either may hold staged values too."""
    backend = backend_of(item, container)
    if backend is None and isinstance(container, (list, tuple)):
        return backend_within(item, container)
    if backend is None and isinstance(container, VIEWS):
        return backend_within(item, viewed(container))
    return backend


def is_(left: object, right: object) -> Any:
    """``left is right``; a staged bool when one of them is ``None`` or not at run time."""
    backend = backend_of(left, right)
    return _same(left, right) if backend is None else backend.is_(left, right)


def _same(left: object, right: object) -> Any:
    tracing = active() if open_traces else None
    if tracing is not None:
        tracing.check_identity(left, right)
    return same(left, right)


def is_not(left: object, right: object) -> Any:
    """``left is not right``."""
    backend = backend_of(left, right)
    return not_(_same(left, right) if backend is None else backend.is_(left, right))
