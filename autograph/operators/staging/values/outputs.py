"""What a traced function returns, with its staged parts as tensors: results are what `nest` takes apart.

A staged list whose elements are lists or have parts leaves the graph as tensors: its length, and for each part of the
elements one tensor that holds it for all elements; for lists in lists their lengths, and the elements of all of them.
The caller's list is made of these when the graph has run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autograph.errors import StagedValueError
from autograph.runtime.base import nest
from autograph.runtime.functions.optional import OptionalOutput, RunTimeOutput, go_to_a_trace
from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.lists.lists import from_tensor_op
from autograph.runtime.ops.shape import create
from autograph.runtime.tensors import convert
from autograph.runtime.tensors.tensor import SymbolicTensor

from ...variables import UNDEFINED
from ..control.errors import where
from ..heap import heap
from ..heap.forms import is_of_own_class
from .chosen import Chosen
from .dicts import StagedDict
from .iterables import StagedIterable
from .list_ops import LIST_FLAT, LIST_LENGTHS, LIST_SPLIT
from .lists import ListState, StagedList, staged
from .maybe import Maybe
from .sets import StagedSet
from .specs import Constant, Frozen, Leaf, ListOf, Spec, Tree, has_parts, parts_of, rebuild, refused_copy
from .truths import Truth

_STAGED = (SymbolicTensor, Maybe, StagedList, StagedDict, StagedIterable, Chosen)


@dataclass
class ListOutput(RunTimeOutput):
    """A list of elements that are lists or have parts: its length, then the tensors of the elements."""

    spec: ClassVar[ListOf | None] = None
    """Of the list; not a field, as those are tensors."""
    like: ClassVar[Any] = None
    """An empty object of the class of the list, if that is not Python's."""
    tensors: tuple[Any, ...]

    def resolved(self) -> Any:
        length, *columns = self.tensors
        assert self.spec is not None and self.spec.element is not None
        if isinstance(length, SymbolicTensor):
            if self.like is not None:
                raise refused_copy(type(self.like))
            handles = list(_handles(self.spec.element, iter(columns), [])) or [_dummies(length)]
            return staged(ListState(self.spec, tuple(handles)))
        rows, tensor = _values(self.spec.element, iter(columns), int(length))
        if self.like is not None:
            return nest.with_attributes(nest.sequence_of(type(self.like), rows), self.like)
        return _whole(self.spec.kind, rows, tensor)


def as_output(value: object) -> Any:
    """A copy of a result, in which what may be None goes with its flag.

    Raises:
        StagedValueError: a part can't leave the graph.
        BranchMismatchError: only the truth of a part is known.
    """
    value = heap.staged(value)
    if isinstance(value, Maybe):
        if value.ag__missing is UNDEFINED:
            return as_output(value.ag__present())
        return OptionalOutput(value.ag__flag, as_output(value.ag__value))
    if isinstance(value, Truth):
        raise value.ag__mismatch
    if isinstance(value, StagedSet):
        raise value.refused("a set as a result", "return sorted(x), a tensor")
    if isinstance(value, StagedList):
        return _list_output(value)
    if isinstance(value, StagedDict):
        value = value.as_result()
    if not nest.is_nested(value):
        heap.refuse_staged(value)
        return value
    _check_attributes(value)
    return nest.rebuild(value, [as_output(child) for _, child in nest.children(value)])


def _check_attributes(structure: object) -> None:
    """Refuses a result with a staged attribute next to its parts: the caller would get what a trace has put there."""
    for name, value in nest.attributes(structure).items():
        if is_staged(value):
            label = f"{type(structure).__name__}.{name}"
            raise StagedValueError(
                f"the result holds `{label}`, which staged code has set: a run of the graph gives its items and fields "
                "alone",
                **where(),
                construct=label,
                remedy=f"make `{name}` a field of a dataclass, or return its value too",
            )


def is_staged(value: object) -> bool:
    """Whether a value holds tensors of a graph."""
    return any(isinstance(each, _STAGED) for each in leaves_of(value))


def leaves_of(value: object) -> Iterator[Any]:
    """The parts of structures and of plain objects that have none themselves."""
    pending, seen = [value], set()
    while pending:
        each = heap.form(pending.pop())
        if isinstance(each, Frozen) or not has_parts(each):
            yield each
        elif id(each) not in seen:
            seen.add(id(each))
            pending.extend(parts_of(each)[1])


def _list_output(values: StagedList) -> Any:
    """What stands for a staged list in the result of a trace: a tensor where its elements are tensors.

    Raises:
        StagedValueError: the elements can't leave the graph.
    """
    state = values.state
    element = state.spec.element
    like = None
    if is_of_own_class(values.source):
        _check_attributes(values.source)
        like = nest.with_attributes(nest.sequence_of(type(values.source), ()), values.source)
    if element is None:
        return like if like is not None else [] if go_to_a_trace() else convert.convert_to_tensor(values)
    if isinstance(element, Leaf) and like is None and not go_to_a_trace():
        return convert.convert_to_tensor(values)
    output = ListOutput((state.length(), *_columns(element, list(state.handles), 0)))
    output.spec = state.spec  # type: ignore[misc]
    output.like = like  # type: ignore[misc]
    return output


def _columns(spec: Spec, handles: list[Any], depth: int) -> Iterator[Any]:
    """The tensors for parts of elements that stand at a depth of lists."""
    if isinstance(spec, Leaf):
        flat = LIST_FLAT(handles[0], depth=depth) if depth else handles[0]
        yield OPS["list_stack"](flat, dtype=spec.dtype, shape=spec.shape)
    elif isinstance(spec, ListOf):
        yield LIST_LENGTHS(LIST_FLAT(handles[0], depth=depth) if depth else handles[0])
        if spec.element is not None:
            yield from _columns(spec.element, handles, depth + 1)
    elif isinstance(spec, Tree):
        start = 0
        for child in spec.children:
            stop = start + len(child.types())
            yield from _columns(child, handles[start:stop], depth)
            start = stop
    elif isinstance(spec, Constant):
        return
    else:
        raise StagedValueError(
            f"a list with elements of which some are None can't be a result: each is {spec}",
            **where(),
            remedy="use a number in place of None",
        )


def _values(spec: Spec, columns: Iterator[Any], count: int) -> tuple[list[Any], Any]:
    """The parts of `count` elements, and the tensor that holds them, if there is one."""
    if isinstance(spec, Leaf):
        tensor = next(columns)
        return [tensor[index] for index in range(count)], tensor
    if isinstance(spec, ListOf):
        lengths = [int(each) for each in np.asarray(next(columns))]
        if spec.element is None:
            return [spec.kind() for _ in lengths], None
        held, tensor = _values(spec.element, columns, sum(lengths))
        ends = np.cumsum(lengths, dtype=int).tolist()
        slices = [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
        rows = [_whole(spec.kind, held[each], None if tensor is None else tensor[each]) for each in slices]
        if tensor is None or len(set(lengths)) != 1:
            return rows, None
        return rows, OPS["reshape"](tensor, shape=(len(lengths), lengths[0], *tensor.static_shape[1:]))
    if isinstance(spec, Tree):
        parts = [_values(child, columns, count)[0] for child in spec.children]
        return [rebuild(spec.kind, spec.keys, list(each), spec.factory) for each in _rows(parts, count)], None
    assert isinstance(spec, Constant)
    return [spec.value] * count, None


def _rows(parts: list[list[Any]], count: int) -> Iterator[tuple[Any, ...]]:
    return zip(*parts, strict=True) if parts else iter([()] * count)


def _whole(kind: type, rows: list[Any], tensor: object) -> Any:
    """A list as the caller gets it: one tensor where its elements are tensors of one shape, else a list or tuple."""
    return kind(rows) if tensor is None else tensor


def _handles(spec: Spec, columns: Iterator[Any], lengths: list[Any]) -> Iterator[Any]:
    """The tensor lists of elements, from their tensors; `lengths` are those of the lists that they stand in."""
    if isinstance(spec, Leaf):
        yield _nested(from_tensor_op(next(columns)), lengths)
    elif isinstance(spec, ListOf):
        inner = [*lengths, next(columns)]
        if spec.element is None or not spec.element.types():
            yield _nested(_dummies(OPS["sum"](inner[-1])), inner)
        else:
            yield from _handles(spec.element, columns, inner)
    elif isinstance(spec, Tree):
        for child in spec.children:
            yield from _handles(child, columns, lengths)


def _dummies(count: Any) -> Any:
    """The tensor list of elements that have no tensors, which tells how many there are."""
    return from_tensor_op(create.range(count))


def _nested(handle: object, lengths: list[Any]) -> Any:
    for each in reversed(lengths):
        handle = LIST_SPLIT(handle, each)
    return handle
