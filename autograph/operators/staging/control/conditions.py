"""Truth of staged values: `not`, `and`, `or`, `in`, `is`, and comparison of what may be missing."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from autograph.errors import BranchMismatchError, StagedValueError
from autograph.runtime.base import dtypes
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text import sometimes_bool
from autograph.runtime.tensors.tensor import Tensor
from autograph.runtime.tensors.trace import current_graph, static_value

from ... import arithmetic
from ...builtin_calls import truth as special_truth
from ...dispatch import Thunk, backend_of
from .. import asked
from ..heap.identities import same
from ..prelude.reading import read
from ..values.chosen import Chosen
from ..values.dicts import StagedDict
from ..values.iterables import StagedIterable
from ..values.lists import StagedList
from ..values.maybe import Maybe
from ..values.specs import SCALARS, as_number
from ..values.truths import Truth
from .errors import where


def static_truth(value: object) -> bool | None:
    """The truth of a value that is known while tracing, else None."""
    if isinstance(value, Chosen):
        found = {bool(each) for each in value.options}
        return None if len(found) > 1 else found.pop()
    if not isinstance(value, Tensor):
        return None if backend_of(value) is not None else bool(value)
    known = static_value(value)
    if known is not None and np.size(known) != 1 and current_graph() is None:
        truth(value)  # refuses it: no graph will do it later
    return None if known is None or np.size(known) != 1 else bool(np.asarray(known).reshape(()))


def truth(value: Any) -> Any:
    """The truth of a value, as one bool tensor or a Python bool.

    Raises:
        StagedValueError: an array of several elements is neither true nor false.
    """
    value = read(special_truth(value))
    if isinstance(value, Truth):
        return value.ag__value
    if isinstance(value, Maybe):
        if value.ag__missing is None:
            return and_(value.ag__flag, lambda: truth(value.ag__value))
        return truth(value.ag__checked())
    if isinstance(value, (StagedList, StagedIterable)):
        return value.length() != 0
    if isinstance(value, StagedDict):
        return any_of([value.contains(key) for key in value.state.values])
    if isinstance(value, Chosen):
        return value.alike(bool)
    if not isinstance(value, Tensor):
        return bool(value)
    shape = value.static_shape
    if shape is not None and len(shape) > 0:
        if any(dimension != 1 for dimension in shape):
            raise StagedValueError(
                f"the truth of a tensor of shape {value.shape} is ambiguous",
                **where(),
                remedy="use tf.reduce_any(x) or tf.reduce_all(x)",
            )
        value = OPS["reshape"](value, shape=())
    if value.dtype is dtypes.bool_:
        return value
    return value != (b"" if value.dtype is dtypes.string else 0)


@asked.NOT.give
def not_(value: object) -> Any:
    """``not value``."""
    known = static_truth(value)
    return not known if known is not None else as_number(OPS["logical_not"](truth(value)), bool)


def and_(left: object, right: Thunk) -> Any:
    """``left and right()``: where `left` is false the result is `left`."""
    return _choice(left, right, lambda: False if _is_bool(left) else left)


def or_(left: object, right: Thunk) -> Any:
    """``left or right()``: where `left` is true the result is `left`."""
    when_true = left.ag__when_true if isinstance(left, Truth) else True if _is_bool(left) else left
    return _choice(left, lambda: when_true, right)


def _choice(left: object, then: Thunk, orelse: Thunk) -> Any:
    try:
        return asked.IF_STMT.function(left, then, orelse, ())
    except BranchMismatchError as error:
        # Its frames would keep lists alive that the graph replaces.
        mismatch = error.with_traceback(None)
        mismatch.__context__ = None
    made = Truth(None, mismatch)

    def truth_of_then() -> Any:
        value = then()
        if isinstance(value, SCALARS):
            made.ag__when_true = value
        return truth(value)

    made.ag__value = asked.IF_STMT.function(left, truth_of_then, lambda: truth(orelse()), (), (then, orelse))
    return made


def _is_bool(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype is dtypes.bool_ and value.static_shape == ()


def any_of(values: list[Any]) -> Any:
    """Whether any of some scalars (staged or not) is true."""
    if any(each is True for each in values):
        return True
    staged = [each for each in values if each is not False]
    return reduce(OPS["logical_or"], staged) if staged else False


def all_of(values: list[Any]) -> Any:
    """Whether all of some scalars (staged or not) are true."""
    if any(each is False for each in values):
        return False
    staged = [each for each in values if each is not True]
    return reduce(OPS["logical_and"], staged) if staged else True


def is_(left: object, right: Any) -> Any:
    """``left is right``: a staged bool when one may be None.

    Raises:
        StagedValueError: a staged bool is compared with ``True`` or ``False``, which it may or may not stand for.
    """
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Truth):
            raise one.ag__mismatch
        if isinstance(other, bool):
            sometimes_bool.check(one, f"whether it is the object {other}")
        if isinstance(other, bool) and _is_bool(one):
            raise StagedValueError(
                f"a staged bool is compared with `is {other}`: it is a tensor, never the object `{other}` itself",
                **where(),
                construct="is",
                remedy="write `x`, `not x` or `x == True`",
            )
    if isinstance(left, Chosen) or isinstance(right, Chosen):
        return left.is_(right) if isinstance(left, Chosen) else right.is_(left)
    if isinstance(right, Maybe) and not isinstance(left, Maybe):
        left, right = right, left
    if isinstance(left, Maybe):
        if left.ag__missing is not None:
            return is_(left.ag__checked(), right)
        if right is None or left is right:
            return right is not None or not_(left.ag__flag)
        if isinstance(right, Maybe):
            there = and_(left.ag__flag, lambda: and_(right.ag__flag, lambda: same(left.ag__value, right.ag__value)))
            return or_(there, lambda: and_(not_(left.ag__flag), lambda: not_(right.ag__flag)))
        return and_(left.ag__flag, lambda: same(left.ag__value, right))
    return same(left, right)


@asked.MAYBE_EQUAL.give
def maybe_equal(left: Maybe, right: object) -> Any:
    """``left == right`` where `left` may be missing."""
    if left.ag__missing is not None:
        return arithmetic.eq(left.ag__checked(), right)
    if right is None:
        return not_(left.ag__flag)
    if isinstance(right, Maybe):
        both_missing = OPS["logical_and"](not_(left.ag__flag), not_(right.ag__flag))
        both = OPS["logical_and"](left.ag__flag, right.ag__flag)
        return or_(both_missing, lambda: and_(both, lambda: arithmetic.eq(left.ag__value, right.ag__value)))
    return and_(left.ag__flag, lambda: arithmetic.eq(left.ag__value, right))
