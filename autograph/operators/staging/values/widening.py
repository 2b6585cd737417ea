"""The tensor lists of a staged list when its elements get a wider specification."""

from __future__ import annotations

from typing import Any

from autograph.errors import StagingError
from autograph.runtime.ops.text import sometimes_bool

from ..control.errors import where
from .list_ops import LIST_CAST, LIST_FILLED
from .specs import Constant, Leaf, ListOf, Optional, Spec, Tree, flatten_absent


def written(element: Spec | None, tensor: Any) -> Any:
    """The tensor of all elements of a list, for a text.

    Raises:
        StagedValueError: some are True or False, and others are other numbers.
    """
    if isinstance(element, Leaf) and element.is_mixed:
        sometimes_bool.check(sometimes_bool.note(tensor), "the text")
    return tensor


def widened_handles(before: Spec, after: Spec, handles: list[Any]) -> list[Any]:
    """The tensor lists of elements under a wider specification."""
    if before == after:
        return handles
    if isinstance(before, Leaf) and isinstance(after, Leaf):
        return handles if before.dtype is after.dtype else [LIST_CAST(handles[0], dtype=after.dtype)]
    if isinstance(before, ListOf) and isinstance(after, ListOf):
        if before.element is None:  # the list is empty, and so are all that have its handle
            return handles * len(after.types())
        return handles if after.element is None else widened_handles(before.element, after.element, handles)
    if isinstance(before, Tree) and isinstance(after, Tree) and before.kind is after.kind:
        made, start = [], 0
        for child, wider in zip(before.children, after.children, strict=True):
            stop = start + len(child.types())
            made += widened_handles(child, wider, handles[start:stop])
            start = stop
        return made if made else handles
    if isinstance(after, Optional):
        if isinstance(before, Optional) and before.missing is after.missing:
            return [handles[0], *widened_handles(before.inner, after.inner, handles[1:])]
        if isinstance(before, Constant) and before.value is after.missing and handles:
            values: list[Any] = [False]
            flatten_absent(after.inner, values)
            return [LIST_FILLED(handles[0], each) for each in values]
        if handles:
            rest = widened_handles(before, after.inner, handles)
            return [LIST_FILLED(handles[0], True), *(rest if after.inner.types() else [])]
    raise StagingError(
        f"a list that staged code changes holds {before}, and is to hold {after}: a graph can't carry both in one list",
        **where(),
        remedy="give all elements the same type and structure, from the start",
    )


def holds_lists(spec: Spec | None) -> bool:
    """Whether elements of a specification are staged lists, or have some as parts."""
    if isinstance(spec, Tree):
        return any(map(holds_lists, spec.children))
    return isinstance(spec, ListOf) or (isinstance(spec, Optional) and holds_lists(spec.inner))
