"""`item in container`, where one of the two is staged."""

from __future__ import annotations

from typing import Any

from autograph.errors import StagedValueError
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.text.text import apply_text
from autograph.runtime.tensors.tensor import Tensor

from .. import asked
from ..control.conditions import any_of
from ..control.errors import type_error, where
from ..heap import heap
from ..heap.forms import VIEWS, is_of_own_class
from ..values.dicts import StagedDict
from ..values.iterables import StagedIterable, StagedRange
from ..values.lists import StagedList
from ..values.maybe import Maybe
from .comparisons import equal, matches
from .text import is_text


@asked.CONTAINS.give
def contains(item: object, container: Any) -> Any:
    """``item in container``."""
    if isinstance(container, Maybe):
        container = container.ag__checked("is searched by `in`")
    item, container = item if is_of_own_class(item) else heap.staged(item), heap.staged(container)
    if isinstance(container, StagedDict):
        return container.contains(item)
    if isinstance(container, (StagedList, StagedIterable)) and not isinstance(container, StagedRange):
        return OPS["any"](matches(container, item))
    if isinstance(container, str) or is_text(container):
        return apply_text("__contains__", container, item)
    if isinstance(container, Tensor):
        if container.static_shape == ():
            raise type_error("`in` needs a tensor with axes, not a scalar tensor", "compare the two with `==`")
        return OPS["any"](container == item)
    if isinstance(container, (range, StagedRange)):
        return _in_range(item, container)
    if isinstance(container, (list, tuple, set, frozenset, dict)) or isinstance(container, VIEWS):  # noqa: SIM101
        return any_of([True if each is item else equal(each, item) for each in container])
    if isinstance(container, bytes):
        raise StagedValueError("a staged string is searched for in bytes", **where(), remedy="search for it in a str")
    return item in container


def _in_range(item: object, container: Any) -> Any:
    start = container.first if isinstance(container, StagedRange) else container.start
    stop, step = container.stop, container.step
    forward = OPS["logical_and"](item >= start, item < stop)
    backward = OPS["logical_and"](item <= start, item > stop)
    up = step > 0
    inside = (forward if up else backward) if isinstance(up, bool) else OPS["where"](up, forward, backward)
    return OPS["logical_and"](inside, (item - start) % step == 0)
