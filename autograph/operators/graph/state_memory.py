"""What memory the state of branches and loops stands for, where they merge: see `memory`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from . import reach
from .memory import Memory, Times, advance, leaves, new, now, of, register

UNKNOWN = object()
"""What stands in a column for a value that is not known yet."""


def _groups(columns: Sequence[Sequence[Any]]) -> tuple[list[int], list[set[Memory]], set[int]]:
    """Which places may stand for the same memory, as numbers of groups; and the memory of all places in a group.

    A column has what the places hold at the end of one branch, or before or after a turn of a loop. The last result has
    the groups that surely stand for one array.
    """
    held = [[{found for leaf in leaves(each) if (found := of(leaf)) is not None} for each in row] for row in columns]
    count = len(columns[0]) if columns else 0
    group = _related(held, count)
    memories: list[set[Memory]] = [set() for _ in range(count)]
    for row in held:
        for i in range(count):
            memories[group[i]] |= row[i]
    sure = {number for number in group if len(memories[number]) == 1}
    for row, values in zip(held, columns, strict=True):
        sure -= {group[i] for i in range(count) if not row[i] and values[i] is not UNKNOWN}
    return group, memories, sure


def _related(held: Sequence[Sequence[set[Memory]]], count: int) -> list[int]:
    """For each place the first one that may stand for the same memory, in some row, directly or through others."""
    first = list(range(count))

    def root(i: int) -> int:
        while first[i] != i:
            first[i] = i = first[first[i]]
        return i

    def join(i: int, j: int) -> None:
        i, j = sorted((root(i), root(j)))
        first[j] = i

    for row in held:
        owners: dict[Memory, int] = {}
        for i, memories in enumerate(row):
            for memory in memories:
                join(i, owners.setdefault(memory, i))
        for memory, i in owners.items():
            for each in memory.ancestors & owners.keys():
                join(i, owners[each])
    return [root(i) for i in range(count)]


def merge(columns: Sequence[Sequence[Any]], values: Sequence[Any]) -> list[Memory | None]:
    """Gives memory to what stands for the values of some columns; returns that of each."""
    group, memories, sure = _groups(columns)
    made = {
        number: next(iter(memories[number])) if number in sure else new(memories[number])
        for number in dict.fromkeys(group)
        if memories[number]
    }
    for number, value in zip(group, values, strict=True):
        if number in made:
            for leaf in leaves(value):
                if not isinstance(leaf, np.ndarray):
                    register(leaf, made[number])
    return [made.get(number) for number in group]


def merge_branches(columns: Sequence[Sequence[Any]], stores: Sequence[Times], values: Sequence[Any]) -> None:
    """Notes what branches have stored, and gives memory to what the places hold after them."""
    for each in stores:
        advance(each)
    merge(columns, values)


class LoopMemory:
    """What memory the places stand for that are the state of a loop which is being staged."""

    def __init__(self) -> None:
        self._start = now()
        self._given: list[Memory | None] = []
        self._listed: list[bool] = []
        self._last: dict[Hashable, Any] = {}

    def begin(self, keys: Sequence[Hashable], initial: Sequence[Any], given: Sequence[Any]) -> None:
        """Gives memory to what the places hold at the start of each turn."""
        last = [self._last.get(each, UNKNOWN) for each in keys]
        self._given = merge([initial, last], given)
        self._listed = [each is not None and each.listed > 0 for each in self._given]

    def fits(self, keys: Sequence[Hashable], initial: Sequence[Any], last: Sequence[Any]) -> bool:
        """Whether what the places hold after a turn has no other memory than they were given for its start.

        Memory that a turn has made itself is none that another place had before. What has become an element of a list
        in the turn is one from its start on.
        """
        self._last = dict(zip(keys, last, strict=True))
        group, memories, _ = _groups([initial, last])
        for i, memory in enumerate(self._given):
            if memory is not self._given[group[i]]:
                return False
            for each in memories[group[i]]:
                if memory is None or (each.listed and not self._listed[i]):
                    return False
                older = {old for old in (each, *each.ancestors) if self._is_older(old)}
                if not older <= {memory, *memory.ancestors}:
                    return False
        return True

    def _is_older(self, memory: Memory) -> bool:
        """Whether a turn has not made it."""
        return memory.born < self._start or (memory.array is not None and reach.is_held(memory.array))

    def end(self, stores: Times, initial: Sequence[Any], last: Sequence[Any], values: Sequence[Any]) -> None:
        """Notes what a turn stores, and gives memory to what the places hold after the loop."""
        advance(stores)
        merge([initial, last] if last else [initial], values)
