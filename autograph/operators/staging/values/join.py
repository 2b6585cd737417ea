"""What two specifications have in common: dtypes promote, shapes relax, and what may be missing gets a flag."""

from __future__ import annotations

import copy
import threading
from types import SimpleNamespace
from typing import Any

from autograph.runtime.base import dtypes, shapes

from ...data_model.by_type import ByType
from ...variables import UNDEFINED
from ..heap.alias_paths import possible
from ..heap.attributes.uncertain_keys import Unordered
from ..heap.edges import note_question
from ..heap.snapshots import attributes_of_container
from .chosen import join_chosen
from .dicts import DictOf, join_dicts
from .specs import (
    Attributes,
    Constant,
    Leaf,
    ListOf,
    Mismatch,
    Optional,
    Reference,
    Spec,
    Tree,
    refused_copy,
)
from .values import structure_of, tensor_spec


def join(left: Spec, right: Spec) -> Spec:
    """The narrowest specification that holds for values of both.

    Raises:
        Mismatch: there is none.
    """
    if left == right:
        return left
    for missing in (UNDEFINED, None):  # what may be undefined is outside, as a variable is asked for that first
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Optional) and one.missing is missing:
                return _join_optional(left, right, missing)
            if isinstance(one, Constant) and one.value is missing:
                new = opened_new(other)
                return new if _may_miss(new, missing) else Optional(missing, new)
    if isinstance(left, Reference) and isinstance(right, Reference):
        return _join_objects(left, right)
    left, right = _opened(left), _opened(right)
    if isinstance(left, Tree) and isinstance(right, Tree):
        return _join_trees(left, right)
    if isinstance(left, ListOf) or isinstance(right, ListOf):
        return _join_lists(left, right)
    if isinstance(left, DictOf) or isinstance(right, DictOf):
        return join_dicts(left, right, join, opened_new)
    return join_chosen(left, right) or _join_tensors(left, right)


class _Local(threading.local):
    def __init__(self) -> None:
        self.pairs: set[tuple[int, int]] = set()
        """The objects whose parts are being joined."""


_local = _Local()


def _join_objects(left: Reference, right: Reference) -> Spec:
    pair = id(left.frozen.obj), id(right.frozen.obj)
    if pair in _local.pairs:
        raise Mismatch(left, right, reason="an object holds itself, and a graph can't copy it")
    _local.pairs.add(pair)
    try:
        return join(_opened(left), _opened(right))
    finally:
        _local.pairs.remove(pair)


def _may_miss(spec: Spec, missing: object) -> bool:
    while isinstance(spec, Optional):
        if spec.missing is missing:
            return True
        spec = spec.inner
    return False


def _join_optional(left: Spec, right: Spec, missing: object) -> Spec:
    """The specification for two of which one at least may be missing."""
    inner, name = [left, right], ""
    for i, (one, other) in enumerate(((left, right), (right, left))):
        if isinstance(one, Constant) and one.value is missing:
            return opened_new(other)
        if isinstance(one, Optional) and one.missing is missing:
            inner[i], name = one.inner, name or one.name
    return Optional(missing, join(*inner), name)


def _opened(spec: Spec) -> Spec:
    """Mutable objects that are not the same one are compared by their parts."""
    if not isinstance(spec, Reference):
        return spec
    if attributes_of_container(spec.frozen.obj):
        raise Mismatch(spec, spec, reason=f"a {type(spec.frozen.obj).__name__} has attributes besides its items")
    if isinstance(spec.frozen.contents, Attributes) and not _is_made_of_attributes(spec.frozen.contents.kind):
        kind = spec.frozen.contents.kind.__name__
        raise Mismatch(spec, spec, reason=f"a {kind} is more than its attributes, and a graph can't make another one")
    return structure_of(spec.frozen)


@ByType
def _is_made_of_attributes(kind: type) -> bool:
    """Whether instances of a class can be made of attributes alone: they are no numbers, strings or exceptions too."""
    try:
        (SimpleNamespace if issubclass(kind, SimpleNamespace) else object).__new__(kind)
    except TypeError:
        return False
    return True


def opened_new(spec: Spec) -> Spec:
    """The same, with objects that a body has made by their parts: they don't outlive the body."""
    if isinstance(spec, Reference) and spec.frozen.is_new and not attributes_of_container(spec.frozen.obj):
        spec = structure_of(spec.frozen)
    if isinstance(spec, (Tree, DictOf)):
        opened = copy.copy(spec)
        opened.children = type(spec.children)(map(opened_new, spec.children))
        return opened
    return Optional(spec.missing, opened_new(spec.inner), spec.name) if isinstance(spec, Optional) else spec


def _join_trees(left: Tree, right: Tree) -> Spec:
    is_dict = isinstance(left.kind, type) and issubclass(left.kind, dict)
    if left.kind is not right.kind:
        raise Mismatch(left, right)
    are_alike = set(left.keys) == set(right.keys)
    if is_dict and left.keys != right.keys and are_alike:
        raise Mismatch(left, right, reason="their keys are in different orders")
    if not are_alike:
        if left.kind is list or left.kind is tuple:
            return _join_lists(left, right)
        if left.kind is dict:
            return join_dicts(left, right, join, opened_new)
        if is_dict:
            only = sorted(map(repr, set(left.keys) ^ set(right.keys)))
            raise Mismatch(left, right, reason=f"only one of them has the key {', '.join(only)}")
        raise Mismatch(left, right)
    children = []
    others = dict(zip(right.keys, right.children, strict=True))
    for key, one in zip(left.keys, left.children, strict=True):
        try:
            children.append(join(one, others[key]))
        except Mismatch as error:
            step = f".{key}" if isinstance(key, str) and not is_dict else f"[{key!r}]"
            raise error.inside(step) from None
    is_ordered = left.keys == right.keys and Unordered not in (type(left.keys), type(right.keys))
    return Tree(left.kind, left.keys if is_ordered else Unordered(left.keys), children, left.factory)


def _join_lists(left: Spec, right: Spec) -> Spec:
    element: Spec | None = None
    kind = left.kind if isinstance(left, (ListOf, Tree)) else None
    if kind not in (list, tuple, set) or not isinstance(right, (ListOf, Tree)) or right.kind is not kind:
        raise Mismatch(left, right)
    for spec in (left, right):
        parts = [spec.element] if isinstance(spec, ListOf) else spec.children if isinstance(spec, Tree) else []
        for part in parts:
            if part is None:
                continue
            try:
                part = element_spec(part)
                element = part if element is None else join(element, part)
            except Mismatch as error:
                raise Mismatch(left, right) if kind is tuple else error.inside("[…]") from None
    return ListOf(element, kind, any(map(repeats, (left, right))))


def repeats(spec: Spec | None) -> bool:
    """Whether what a specification describes may hold an object twice, directly or in others."""
    if isinstance(spec, ListOf):
        return spec.repeats or repeats(spec.element)
    seen: set[int] = set()
    pending: list[Any] = list(spec.children) if isinstance(spec, Tree) else []
    while pending:
        each = pending.pop()
        if isinstance(each, Reference):
            note_question()
            may_be = possible(each.frozen.obj)
            if not seen.isdisjoint(may_be):
                return True
            seen |= may_be
            each = structure_of(each.frozen)
        if isinstance(each, Optional):
            pending.append(each.inner)
        elif isinstance(each, (Tree, DictOf)):
            pending.extend(each.children)
        elif repeats(each):
            return True
    return False


def element_spec(spec: Spec) -> Spec:
    """What the elements of a staged list are like, when one is like `spec`: numbers may differ from place to place.

    Raises:
        StagedValueError: it is an object of a user's class, and only a run knows what it holds.
    """
    if isinstance(spec, Constant):
        return spec if type(spec.value) is bytes else tensor_spec(spec.value) or spec
    spec = _opened(spec)
    if isinstance(spec, (ListOf, DictOf)) and spec.kind not in (list, tuple, set, dict):
        raise refused_copy(spec.kind)
    if isinstance(spec, Tree) and spec.kind is list:
        try:
            return _join_lists(spec, ListOf(None))
        except Mismatch:  # a list of a fixed length, of parts that differ
            pass
    if isinstance(spec, Tree):
        return Tree(spec.kind, spec.keys, [element_spec(child) for child in spec.children], spec.factory)
    return spec


def _join_tensors(left: Spec, right: Spec) -> Spec:
    one, other = _as_leaf(left), _as_leaf(right)
    if one is None or other is None or (bytes in (one.python, other.python) and None not in (one.python, other.python)):
        raise Mismatch(left, right)
    shape = shapes.relax(one.shape, other.shape)
    try:
        dtype, python = dtypes.joined(one.dtype, one.python, other.dtype, other.python)
    except TypeError:
        raise Mismatch(left, right) from None
    if python is not None and python not in dtypes.OF_NUMPY:
        is_mixed = one.is_mixed or other.is_mixed or (one.python is bool) is not (other.python is bool)
    else:
        is_mixed = python is None and any(each.is_mixed or each.python in dtypes.OF_NUMPY for each in (one, other))
    return Leaf(dtype, shape, python, is_mixed)


def _as_leaf(spec: Spec) -> Leaf | None:
    if isinstance(spec, Leaf):
        return spec
    return tensor_spec(spec.value) if isinstance(spec, Constant) else None
