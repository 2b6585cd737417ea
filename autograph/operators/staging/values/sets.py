"""Sets whose elements only the run knows: set comprehensions over tensors, `set(x)`, `{x, y}` of staged values.

The elements are numbers or strings, each held once. In which order Python would run over them is not said anywhere, so
that nothing that depends on the order can be staged; what doesn't can: sizes, membership, sums, sorting, set operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.runtime.ir.op import OPS
from autograph.runtime.ops.lists.lists import from_tensor_op
from autograph.runtime.ops.shape.gather import boolean_mask
from autograph.runtime.ops.shape.joining import concat
from autograph.runtime.ops.shape.sort import unique
from autograph.runtime.tensors.convert import convert_to_tensor

from .. import asked
from ..control.conditions import all_of, not_
from ..control.errors import require, type_error
from .join import join
from .lists import KINDS, ListState, StagedList, kind_of
from .specs import Leaf, ListOf

_OF_LISTS = frozenset(("append", "count", "extend", "index", "insert", "reverse", "sort"))


class StagedSet(StagedList):
    """A set in a graph: a staged list of different elements, in no order that Python code may rely on."""

    __slots__ = ()
    _class = set

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_LISTS:
            raise AttributeError(f"'set' object has no attribute '{name}'")
        return super().__getattribute__(name)

    def check_order(self) -> NoReturn:
        raise self.refused("what depends on the order of its elements", "use sorted(x) in its place")

    def listed(self) -> StagedList:
        self.check_order()

    def pop(self, index: object = None) -> Any:
        self.check_order()

    def __getitem__(self, index: object) -> NoReturn:
        raise TypeError("'set' object is not subscriptable")

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise TypeError("'set' object does not support item assignment")

    def __delitem__(self, index: object) -> NoReturn:
        raise TypeError("'set' object doesn't support item deletion")

    def __hash__(self) -> NoReturn:  # type: ignore[override]
        raise TypeError("unhashable type: 'set'")

    def check_update_of_a_set(self, symbol: str) -> None:
        raise self.refused(f"`{symbol}=` of a set of Python with it", f"write x = x {symbol} y, which makes a new set")

    def _filtered(self, keep: Callable[[Any], Any]) -> StagedSet:
        vector = convert_to_tensor(self)
        return _of_vector(boolean_mask(vector, keep(vector)), self.state.spec.element)

    def copy(self) -> StagedSet:
        return StagedSet(self.state, self.name)

    def add(self, value: object) -> None:
        self.update((value,))

    def update(self, *others: object) -> None:
        self._become(self.union(*others))

    def discard(self, value: object) -> None:
        self._become(self._filtered(lambda vector: vector != value))

    def remove(self, value: object) -> None:
        missing = KeyError(value if isinstance(value, (int, float, str)) else "the value")
        require(asked.CONTAINS.function(value, self), missing)
        self.discard(value)

    def union(self, *others: object) -> StagedSet:
        made = self
        for other in map(as_set, others):
            made = _joined(made, other)
        return made

    def intersection(self, *others: object) -> StagedSet:
        made = self
        for other in map(as_set, others):
            made = made._filtered(lambda vector, other=other: _are_in(vector, other))  # type: ignore[misc]
        return made

    def difference(self, *others: object) -> StagedSet:
        made = self
        for other in map(as_set, others):
            made = made._filtered(lambda vector, other=other: ~_are_in(vector, other))  # type: ignore[misc]
        return made

    def symmetric_difference(self, other: object) -> StagedSet:
        other = as_set(other)
        return _joined(self.difference(other), other.difference(self))

    def issubset(self, other: object) -> Any:
        return OPS["all"](_are_in(convert_to_tensor(self), as_set(other)))

    def issuperset(self, other: object) -> Any:
        return as_set(other).issubset(self)

    def isdisjoint(self, other: object) -> Any:
        return not_(OPS["any"](_are_in(convert_to_tensor(self), as_set(other))))

    def intersection_update(self, *others: object) -> None:
        self._become(self.intersection(*others))

    def difference_update(self, *others: object) -> None:
        self._become(self.difference(*others))

    def symmetric_difference_update(self, other: object) -> None:
        self._become(self.symmetric_difference(other))

    def __eq__(self, other: object) -> Any:
        if not _is_set(other):
            return False
        others = as_set(other)
        return all_of([self.length() == others.length(), self.issubset(others)])

    def __le__(self, other: object) -> Any:
        return self.issubset(other) if _is_set(other) else NotImplemented

    def __ge__(self, other: object) -> Any:
        return self.issuperset(other) if _is_set(other) else NotImplemented

    def __lt__(self, other: object) -> Any:
        return all_of([self <= other, not_(self == other)]) if _is_set(other) else NotImplemented

    def __gt__(self, other: object) -> Any:
        return all_of([self >= other, not_(self == other)]) if _is_set(other) else NotImplemented


def _operators() -> None:
    for symbol, method in {"or": "union", "and": "intersection", "sub": "difference",
                           "xor": "symmetric_difference"}.items():  # fmt: skip

        def operate(self: StagedSet, other: object, method: str = method) -> Any:
            return getattr(self, method)(other) if _is_set(other) else NotImplemented

        def reflected(self: StagedSet, other: object, method: str = method) -> Any:
            return getattr(as_set(other), method)(self) if _is_set(other) else NotImplemented

        update = "update" if symbol == "or" else f"{method}_update"

        def in_place(self: StagedSet, other: object, update: str = update) -> Any:
            if not _is_set(other):
                return NotImplemented
            getattr(self, update)(other)
            return self

        setattr(StagedSet, f"__{symbol}__", operate)
        setattr(StagedSet, f"__r{symbol}__", reflected)
        setattr(StagedSet, f"__i{symbol}__", in_place)
    for name in ("__add__", "__radd__", "__iadd__", "__mul__", "__rmul__", "__imul__"):
        setattr(StagedSet, name, _unsupported)


def _unsupported(self: StagedSet, other: object) -> Any:
    return NotImplemented


_operators()


def _is_set(value: object) -> bool:
    return issubclass(kind_of(value), (set, frozenset))


def as_set(values: object) -> StagedSet:
    """The staged set of the elements of a list, a set or anything else that can be run over."""
    if isinstance(values, StagedSet):
        return values
    if isinstance(values, (set, frozenset)):
        values = list(values)
    made = values if isinstance(values, StagedList) else asked.LISTED.function(values)
    made = made if isinstance(made, StagedList) else StagedList(ListState.of(list(made)))
    element = made.state.spec.element
    if element is None:
        return StagedSet(made.state.as_kind(set))
    if not isinstance(element, Leaf) or element.shape != ():
        raise type_error(f"a set of a graph holds numbers or strings, not {element}", "keep them in a list")
    return _of_vector(convert_to_tensor(made), element)


def _of_vector(vector: Any, element: object) -> StagedSet:
    python = element.python if isinstance(element, Leaf) else None
    distinct = unique(vector).y
    return StagedSet(ListState(ListOf(Leaf(distinct.dtype, (), python), set), (from_tensor_op(distinct),)))


def _joined(one: StagedSet, other: StagedSet) -> StagedSet:
    if one.state.spec.element is None or other.state.spec.element is None:
        return other if one.state.spec.element is None else one
    element = join(one.state.spec.element, other.state.spec.element)
    assert isinstance(element, Leaf)
    columns = [OPS["cast"](convert_to_tensor(each), dtype=element.dtype) for each in (one, other)]
    return _of_vector(concat(columns, axis=0), element)


def _are_in(vector: Any, other: StagedSet) -> Any:
    """Which elements of a vector a set has."""
    if other.state.spec.element is None:
        return OPS["zeros_like"](OPS["equal"](vector, vector))
    return OPS["any"](vector[:, None] == convert_to_tensor(other), axis=1)


KINDS[set] = StagedSet
