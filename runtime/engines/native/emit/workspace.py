"""The memory of one compiled graph, laid out while its code is written."""

from __future__ import annotations

import bisect


class Slot:
    """A part of the workspace; it is given back when no buffer in use needs it."""

    def __init__(self, workspace: Workspace, offset: int, size: int) -> None:
        self._workspace, self.offset, self.size = workspace, offset, size

    def __del__(self) -> None:
        self._workspace.free(self.offset, self.size)


class Workspace:
    """The memory of one compiled graph, laid out while it is written: slots are reused as soon as they are free."""

    ALIGNMENT = 64

    def __init__(self) -> None:
        self.size = 0
        # Free parts: by offset their sizes, by end their offsets, and both in the order of sizes.
        self._free: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._by_size: list[tuple[int, int]] = []

    def take(self, size: int) -> Slot:
        """The smallest free part that is large enough, or one at the end."""
        size = -(-max(size, 1) // self.ALIGNMENT) * self.ALIGNMENT
        place = bisect.bisect_left(self._by_size, (size, 0))
        if place < len(self._by_size):
            length, offset = self._by_size[place]
            self._remove(offset)
            if length > size:
                self._add(offset + size, length - size)
            return Slot(self, offset, size)
        offset, self.size = self.size, self.size + size
        return Slot(self, offset, size)

    def free(self, offset: int, size: int) -> None:
        """A part is free again; it is joined with its neighbours, so that large slots can be found again."""
        before = self._ends.get(offset)
        if before is not None:
            size += self._remove(before)
            offset = before
        if offset + size in self._free:
            size += self._remove(offset + size)
        self._add(offset, size)

    def _add(self, offset: int, size: int) -> None:
        self._free[offset], self._ends[offset + size] = size, offset
        bisect.insort(self._by_size, (size, offset))

    def _remove(self, offset: int) -> int:
        size = self._free.pop(offset)
        del self._ends[offset + size]
        del self._by_size[bisect.bisect_left(self._by_size, (size, offset))]
        return size
