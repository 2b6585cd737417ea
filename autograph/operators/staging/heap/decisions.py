"""What staged conditions decide together: binary decision diagrams over bools that only a run knows.

A decision is True, False, or a node: one decision where a bool holds and another where it does not. Equal decisions
are the same object. The bools stand in an order, the newest on top, so that what a new condition decides between two
known decisions takes one node.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, Union


class Node:
    """A decision by one bool: ``high`` where it holds, ``low`` where it does not."""

    __slots__ = ("high", "low", "test")

    def __init__(self, test: Test, high: Decision, low: Decision) -> None:
        self.test = test
        self.high = high
        self.low = low


class Test:
    """A bool that only a run knows: a tensor."""

    __slots__ = ("number", "tensor")

    def __init__(self, number: int, tensor: object) -> None:
        self.number = number
        self.tensor = tensor


Decision: TypeAlias = Union[bool, Node]  # noqa: UP007 (a class that is defined here can't be asked for `|` as text)


class _Local(threading.local):
    def __init__(self) -> None:
        self.tests: dict[int, Test] = {}
        self.nodes: dict[tuple[Test, Decision, Decision], Node] = {}
        self.found: dict[tuple[Decision, Decision, Decision], Decision] = {}
        self.decided: dict[int, tuple[Any, Decision]] = {}
        self.computed: dict[Node, Any] = {}


_local = _Local()


def forget() -> None:
    """Called when a trace ends."""
    _local.__init__()  # type: ignore[misc]


def of(tensor: object) -> Decision:
    """The decision that a bool tensor is."""
    key = id(tensor.value) if hasattr(tensor, "value") else id(tensor)
    known = _local.decided.get(key)
    if known is not None:
        return known[1]
    test = _local.tests.get(key)
    if test is None:
        test = _local.tests[key] = Test(len(_local.tests), tensor)
    return _node(test, True, False)


def note(tensor: object, decision: Decision) -> None:
    """Notes that a tensor has been computed from a decision."""
    key = id(tensor.value) if hasattr(tensor, "value") else id(tensor)
    if key not in _local.tests:
        _local.decided[key] = tensor, decision
        if isinstance(decision, Node):
            _local.computed[decision] = tensor


def computed(decision: Node) -> Any:
    """The tensor that has been computed from a decision last; None where there is none."""
    return _local.computed.get(decision)


def _node(test: Test, high: Decision, low: Decision) -> Decision:
    if high is low:
        return high
    key = test, high, low
    found = _local.nodes.get(key)
    if found is None:
        found = _local.nodes[key] = Node(test, high, low)
    return found


def either(decision: Decision, high: Decision, low: Decision) -> Decision:
    """``high`` where a decision holds, else ``low``."""
    if isinstance(decision, bool):
        return high if decision else low
    if high is low or (high is True and low is False):
        return high if high is low else decision
    key = decision, high, low
    found = _local.found.get(key)
    if found is None:
        newest = max((each.test for each in key if isinstance(each, Node)), key=lambda test: test.number)
        sides = [either(*[_part(each, newest, truth) for each in key]) for truth in (True, False)]
        found = _local.found[key] = _node(newest, *sides)
    return found


def _part(decision: Decision, test: Test, truth: bool) -> Decision:
    if isinstance(decision, Node) and decision.test is test:
        return decision.high if truth else decision.low
    return decision


def and_(one: Decision, other: Decision) -> Decision:
    return either(one, other, False)


def or_(one: Decision, other: Decision) -> Decision:
    return either(one, True, other)


def not_(decision: Decision) -> Decision:
    return either(decision, False, True)


def within(decision: Decision, known: Decision) -> Decision:
    """A decision where another one is known to hold, as simple as that makes it."""
    if isinstance(decision, bool) or known is True:
        return decision
    if and_(decision, known) is False:
        return False
    if and_(not_(decision), known) is False:
        return True
    found: dict[Decision, Decision] = {}
    fixed = _fixed(known)

    def part(each: Decision) -> Decision:
        if isinstance(each, bool):
            return each
        if each not in found:
            truth = fixed.get(each.test)
            if truth is None:
                found[each] = _node(each.test, part(each.high), part(each.low))
            else:
                found[each] = part(each.high if truth else each.low)
        return found[each]

    return part(decision)


def _fixed(known: Decision) -> dict[Test, bool]:
    """The bools that are known one by one."""
    fixed = {}
    while isinstance(known, Node) and (known.high is False or known.low is False):
        fixed[known.test] = known.low is False
        known = known.high if known.low is False else known.low
    return fixed


def ordered(decision: Decision) -> Iterator[Node]:
    """The nodes of a decision, each after those that it has."""
    pending: list[tuple[Decision, bool]] = [(decision, False)]
    seen: set[Node] = set()
    while pending:
        each, is_done = pending.pop()
        if isinstance(each, bool) or (each in seen and not is_done):
            continue
        if is_done:
            yield each
        else:
            seen.add(each)
            pending += [(each, True), (each.high, False), (each.low, False)]


def tensors(decision: Decision) -> Iterable[Any]:
    """The bools that a decision depends on."""
    return [each.test.tensor for each in ordered(decision)]
